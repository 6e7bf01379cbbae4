"""Other people's files: URDF robots, mass properties of meshes."""
