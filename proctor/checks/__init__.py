"""Deterministic checks: small values with one ``evaluate(context)``, one family a module.

To add a check, write a frozen dataclass with ``name`` and ``evaluate`` (see `proctor.plan.Check`) in the module of its
family, or in a new one, and build it where its format is read (`proctor.formats`). A user's own checks are named in a
suite as ``pkg.mod:Class`` and need no registration.
"""
