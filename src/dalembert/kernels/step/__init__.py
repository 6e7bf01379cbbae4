"""Time steps: the state of a run, explicit and implicit methods, dense output and recorded frames."""
