"""Force elements and their tangents, laws, and the power that they supply."""
