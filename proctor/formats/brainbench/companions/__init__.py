"""The files beside transcripts: probes, gold pages, rubrics, planted items and claims."""
