"""Cosines and sines of all coordinates at once, in a loop that the compiler turns into vector instructions.

With k = x / (pi/2) rounded and r = x - k pi/2, |r| <= pi/4, the parity of k decides which of sin r, cos r is meant and k
modulo 4 their signs.  pi/2 is the sum of three numbers, of which the first two have 33 bits, so that their products with
|k| < 2²⁰ are exact [W. J. Cody, W. Waite, Software Manual for the Elementary Functions, 1980, ch. 8].  Both polynomials
are minimax on |r| <= pi/4 to 2⁻⁵⁷ [fdlibm, k_sin.c and k_cos.c].  Results are within 2⁻⁵² of the exact ones.
"""

from math import cos, sin

import numpy as np

from ..compile.jit import kernel_in_order

PER_QUARTER = 0.6366197723675814
"""2/pi."""
QUARTER = (1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624879595063154e-21)
"""pi/2 in three parts."""
FARTHEST = 1.6e6
"""Angles beyond this [rad] are left to the standard library."""

S3, S5, S7 = -1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04
S9, S11, S13 = 2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10
C4, C6, C8 = 4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05
C10, C12, C14 = -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11


@kernel_in_order
def eval_turns(x, cosine, sine):
    """Fill the cosines and sines of x (n,), any numbers [rad]."""
    far = 0
    for i in range(x.shape[0]):
        k = np.rint(x[i] * PER_QUARTER)
        r = ((x[i] - k * QUARTER[0]) - k * QUARTER[1]) - k * QUARTER[2]
        z = r * r
        s = r + r * z * (S3 + z * (S5 + z * (S7 + z * (S9 + z * (S11 + z * S13)))))
        c = 1.0 - (0.5 * z - z * z * (C4 + z * (C6 + z * (C8 + z * (C10 + z * (C12 + z * C14))))))
        m = k - 4.0 * np.rint(0.25 * k)  # -2, -1, 0, 1, 2
        odd, half = abs(m) == 1.0, abs(m) == 2.0
        cosine[i] = (s if odd else c) * (-1.0 if half or m == 1.0 else 1.0)
        sine[i] = (c if odd else s) * (-1.0 if half or m == -1.0 else 1.0)
        far += not abs(x[i]) <= FARTHEST
    if far > 0:
        for i in range(x.shape[0]):
            if not abs(x[i]) <= FARTHEST:
                cosine[i] = cos(x[i])
                sine[i] = sin(x[i])
