"""Constraint rows, and mechanisms that have some: accelerations, implicit steps and projections by augmented Lagrangian."""
