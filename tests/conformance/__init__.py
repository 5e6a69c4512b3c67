"""Conformance vectors: what the formats' own tools do, and the runner that holds Proctor against it.

``python -m tests.conformance DIR…`` runs every vector in or below DIR through the product's public paths.
"""
