"""Runs eval files of LLM agents as Prefect flows."""
