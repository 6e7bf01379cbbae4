"""Flexible bodies: floating frames in the tree, superelements in absolute interface coordinates."""
