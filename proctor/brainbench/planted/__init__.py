"""Planted items: pages that carry an instruction for whoever reads them, who met them, and what came of it."""
