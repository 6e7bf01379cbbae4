"""How kernels are compiled, kept on disk, linked, and handed their tables: all that depends on the inner workings of Numba."""
