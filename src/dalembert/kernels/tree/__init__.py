"""Trees in joint coordinates: kinematics, articulated-body algorithm, recursive Newton-Euler, ranks and tangents, in O(N)."""
