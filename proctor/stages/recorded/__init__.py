"""Recorded rows through the stages: scored where they lie, judged, tallied, compared.

A data set is never held whole: a chunk is a span of its file (`RowChunk`), read when it is scored, and again when a
judge is asked.
"""
