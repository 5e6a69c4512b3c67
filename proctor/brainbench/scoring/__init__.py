"""The scores of categories 5, 8 and 9, and what becomes of probes without one."""
