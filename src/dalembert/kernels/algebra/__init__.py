"""Vectors, matrices, rotations and linear systems, dense and sparse."""
