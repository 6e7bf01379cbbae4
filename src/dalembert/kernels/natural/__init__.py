"""Natural coordinates of rigid bodies: their inertia, forces, constraint rows and tangents."""
