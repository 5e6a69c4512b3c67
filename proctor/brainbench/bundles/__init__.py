"""Bundles: what a run of the benchmark leaves behind, as texts."""
