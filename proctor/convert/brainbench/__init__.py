"""Trials as transcripts and bundles of BrainBench, and back."""
