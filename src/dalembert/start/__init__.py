"""Starts: a checked model and given values become a packed model with a consistent state at a time."""
