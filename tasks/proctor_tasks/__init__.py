"""The six stages as Prefect tasks, one module each.

A task is a stage or a chunk of it, never a single trial. Results are kept in Proctor's own store, so tasks neither
cache nor persist in Prefect; a run is passed quoted, by reference.
"""
