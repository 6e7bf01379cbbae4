"""Analyses: run, assemble, static, linearize, eigenmodes, inverse dynamics."""
