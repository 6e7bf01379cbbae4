"""Analyses other than time integration: equilibria, linearisation and modes, inverse dynamics, kinematics, perturbations."""
