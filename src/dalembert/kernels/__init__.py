"""Numba kernels on flat tables: no names, no strings, no allocation.  The only folder that imports numba."""
