"""The five assertions of pi trace fixtures as checks. They look at a `proctor.checks.pi.trace.Trace`."""
