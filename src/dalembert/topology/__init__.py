"""From the user's graph of bodies and joints to a spanning tree."""
