"""The file entry point of this checkout: ``flows/evaluate.py:eval_<slug>``."""

from proctor_flows.evaluate import __getattr__, evaluate

__all__ = ["__getattr__", "evaluate"]
