"""What a run leaves behind: named channels, files, pictures, comparisons and citations.  Needs no Numba."""
