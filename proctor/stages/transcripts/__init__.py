"""Recorded transcripts in the stages: their companion files, and what aggregation says of adapters and categories."""
