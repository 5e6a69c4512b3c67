"""BrainBench: the rules of its flight recorder, tool bridge, evidence contract, judge and scoring, as plain functions.

Two eras of the benchmark score differently (`proctor.brainbench.eras`). Nothing here reads a file or asks a model;
`proctor.formats.brainbench` loads transcripts, `proctor.checks.brainbench` makes checks of these rules.
"""
