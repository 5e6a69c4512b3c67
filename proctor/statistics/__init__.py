"""The statistics behind verdicts and reports, one idea a module, in exact arithmetic where a decision hangs on it."""
