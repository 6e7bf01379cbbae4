"""The matrix of an implicit step of a superelement: symmetric, nearly that of superelement_tangent.py, at a part of its cost.

With B = Hb T of superelement.py it is, in the frame's axes,
    Bᵀ (cq K + cv D) B + cm M + cq G,   G = X + Xᵀ,   X = P + ½ Zwᵀ A Zw,                                     (1)
where Zw are the rows of Z that turn the frame, f_k and n_k the forces and moments that its interfaces hold, at r_k, and
    P_k = (-f_k~ Zw, -½ n_k~ Zw),   A = sum sym(r_k f_kᵀ) - (r_k·f_k) 1.                                      (2)
G is the turning of the loads with the frame and what their arms change by, symmetric where a body is in balance.  The rest,
the turning of H, the weight's and inertia's own, is smaller by the deformation or by the square of step times angular
velocity: it slows Newton's iteration down by as much, and leaves its solution.
Seeds: [ELL (5.10), (6.5)]; the tangent is not given there.
"""

from ..compile.jit import kernel, part
from .superelement import arm, triple


@part
def fill_projector(sup, s, work):
    """work.K = B, row by row."""
    n, B, Z = s.n, work.K, work.Z
    for k in range(s.n_face):
        x, y, z = arm(sup, s, k, work)
        a, b, c = B[6 * k], B[6 * k + 1], B[6 * k + 2]
        for j in range(n):
            a[j] = -(Z[0, j] + Z[4, j] * z - Z[5, j] * y)
            b[j] = -(Z[1, j] + Z[5, j] * x - Z[3, j] * z)
            c[j] = -(Z[2, j] + Z[3, j] * y - Z[4, j] * x)
        for i in range(3):
            h0, h1, h2, row = work.H[k, 3 * i], work.H[k, 3 * i + 1], work.H[k, 3 * i + 2], B[6 * k + 3 + i]
            for j in range(n):
                row[j] = -(h0 * Z[3, j] + h1 * Z[4, j] + h2 * Z[5, j])
            row[6 * k + 3] += h0
            row[6 * k + 4] += h1
            row[6 * k + 5] += h2
        for i in range(3):
            B[6 * k + i, 6 * k + i] += 1.0
    for m in range(6 * s.n_face, n):
        for j in range(n):
            B[m, j] = 1.0 if j == m else 0.0


@part
def fill_turning(sup, s, cq, work):
    """work.turned (3, n) = cq ½ A Zw."""
    xx, xy, xz, yy, yz, zz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(s.n_face):
        r, f = arm(sup, s, k, work), triple(work.f, 6 * k)
        along = r[0] * f[0] + r[1] * f[1] + r[2] * f[2]
        xx += r[0] * f[0] - along
        yy += r[1] * f[1] - along
        zz += r[2] * f[2] - along
        xy += 0.5 * (r[0] * f[1] + r[1] * f[0])
        xz += 0.5 * (r[0] * f[2] + r[2] * f[0])
        yz += 0.5 * (r[1] * f[2] + r[2] * f[1])
    h, Z, Y = 0.5 * cq, work.Z, work.turned
    for j in range(s.n):
        a, b, c = Z[3, j], Z[4, j], Z[5, j]
        Y[0, j] = h * (xx * a + xy * b + xz * c)
        Y[1, j] = h * (xy * a + yy * b + yz * c)
        Y[2, j] = h * (xz * a + yz * b + zz * c)


@part
def fill_geometric(sup, s, cq, work):
    """work.C = cq X of (1), row by row."""
    fill_turning(sup, s, cq, work)
    n, Z, Y, X = s.n, work.Z, work.turned, work.C
    for i in range(n):
        row, a, b, c = X[i], Z[3, i], Z[4, i], Z[5, i]
        for j in range(n):
            row[j] = a * Y[0, j] + b * Y[1, j] + c * Y[2, j]
    for k in range(2 * s.n_face):
        share = cq if k % 2 == 0 else 0.5 * cq
        x, y, z = share * work.f[3 * k], share * work.f[3 * k + 1], share * work.f[3 * k + 2]
        a, b, c = X[3 * k], X[3 * k + 1], X[3 * k + 2]
        for j in range(n):
            a[j] += Z[4, j] * z - Z[5, j] * y
            b[j] += Z[5, j] * x - Z[3, j] * z
            c[j] += Z[3, j] * y - Z[4, j] * x


@part
def fill_stiff(sup, s, cq, cv, work):
    """work.matrix = (cq K + cv D) B, row by row, for B in work.K."""
    n, B, constant = s.n, work.K, sup.constant
    for i in range(n):
        out = work.matrix[i]
        for j in range(n):
            out[j] = 0.0
        for m in range(n):
            w = cq * constant[s.K + i * n + m]
            if s.damped == 1:
                w += cv * constant[s.D + i * n + m]
            row = B[m]
            for j in range(n):
                out[j] += w * row[j]


@part
def keep_shape(s, own, work):
    """Keep what (1) needs of the superelement that was evaluated last."""
    at = 0
    for j in range(s.n):
        own[at], own[at + 1] = work.q[j], work.f[j]
        at += 2
        for c in range(6):
            own[at + c] = work.Z[c, j]
        at += 6
    for k in range(s.n_face):
        for c in range(9):
            own[at + c] = work.H[k, c]
        at += 9


@part
def restore_shape(s, own, work):
    """Take it again."""
    at = 0
    for j in range(s.n):
        work.q[j], work.f[j] = own[at], own[at + 1]
        at += 2
        for c in range(6):
            work.Z[c, j] = own[at + c]
        at += 6
    for k in range(s.n_face):
        for c in range(9):
            work.H[k, c] = own[at + c]
        at += 9


@kernel
def eval_step_matrix(sup, i, cq, cv, cm, work):
    """Fill work.matrix (n, n) by (1), for what `keep_shape` has kept of the superelement; destroys work.K and work.C."""
    s = sup.element[i]
    restore_shape(s, work.shape[i], work)
    n, B, S, X = s.n, work.K, work.matrix, work.C
    fill_projector(sup, s, work)
    fill_stiff(sup, s, cq, cv, work)
    fill_geometric(sup, s, cq, work)
    for a in range(n):  # S <- Bᵀ S, by rows from the last product in X
        row = X[a]
        for j in range(n):
            row[j] += 0.5 * cm * sup.constant[s.M + a * n + j]
        for m in range(n):
            w, stiff = 0.5 * B[m, a], S[m]
            for j in range(n):
                row[j] += w * stiff[j]
    for a in range(n):
        for b in range(a + 1):
            S[a, b] = S[b, a] = X[a, b] + X[b, a]
