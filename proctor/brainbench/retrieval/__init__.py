"""The retrieval categories: query sets, the order of pages, precision and recall."""
