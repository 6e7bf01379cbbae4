"""Signals that a state gives, controllers that turn them into efforts and forces, and switching functions of events."""
