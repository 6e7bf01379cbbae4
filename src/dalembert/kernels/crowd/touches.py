"""Touches of a step: what they move, and what an impulse at them does.

The velocity of body b's point of contact relative to a's is u = u_b - u_a, world axes; an impulse P on b
and -P on a changes it by
    W P,    W = W_b + W_a,                                                                       (1)
    W_i = 1/m - r~ J⁻¹ r~      of a free body, r from its centre of mass,                        (2)
    W_i = sum_k J_k R_kᵀ       of a tree, u_i = sum_k J_k qd_k and R = M⁻¹ Jᵀ,                    (3)
with R from the factors of its mass matrix, O(N) for each of three directions.  Two bodies of the same tree have one strip
(J_k, R_k) together.  An impulse that the same point had in the last step is what the sweeps begin with.
"""

from math import sqrt

from ...codes import MoverCode
from ..algebra.small import add3, axpy3, cross, dot3, load3, load6, scale3, store3, sub3, sym_vec
from ..compile.jit import kernel

NONE = -1


@kernel
def add_touch(crowd, state, key, group, a, b, gap, n, x, friction, restitution, compliance):
    """Add a touch, or count it among those that have no room."""
    p = state.progress[0]
    if p.touches == state.touch.shape[0]:
        p.wanted += 1
        return
    c = state.touch[p.touches]
    p.touches += 1
    c.key, c.group, c.a, c.b, c.gap = key, group, a, b, gap
    c.strip_a = c.strip_b = NONE
    c.friction, c.restitution, c.compliance = friction, restitution, compliance
    store3(c.n, n)
    store3(c.x, x)
    store3(c.r_a, sub3(x, load3(state.centre[a])))
    store3(c.r_b, sub3(x, load3(state.centre[b])))
    if crowd.mover[a].kind == MoverCode.TREE or crowd.mover[b].kind == MoverCode.TREE:
        p.trees += 1


@kernel
def relative(c, twist, rate, pool):
    """Velocity of b's point relative to a's: twists of free bodies and rates of trees."""
    a, b = twist[c.a], twist[c.b]
    u_b = add3((b[0], b[1], b[2]), cross((b[3], b[4], b[5]), load3(c.r_b)))
    u_a = add3((a[0], a[1], a[2]), cross((a[3], a[4], a[5]), load3(c.r_a)))
    u = sub3(u_b, u_a)
    if c.strip_a >= 0:
        u = add_strip(u, pool, c.strip_a, c.v_a, c.n_a, rate)
    if c.strip_b >= 0:
        u = add_strip(u, pool, c.strip_b, c.v_b, c.n_b, rate)
    return u


@kernel
def add_strip(u, pool, strip, v, n, rate):
    """u + sum_k J_k rate_k."""
    x, y, z = u
    for k in range(n):
        s, r = strip + 6 * k, rate[v + k]
        x += pool[s] * r
        y += pool[s + 1] * r
        z += pool[s + 2] * r
    return (x, y, z)


@kernel
def strike(c, P, twist, rate, pool, mover, inverse):
    """Let an impulse P act on b, and -P on a."""
    kick(c.a, scale3(P, -1.0), load3(c.r_a), twist, mover, inverse)
    kick(c.b, P, load3(c.r_b), twist, mover, inverse)
    if c.strip_a >= 0:
        kick_strip(P, pool, c.strip_a, c.v_a, c.n_a, rate)
    if c.strip_b >= 0:
        kick_strip(P, pool, c.strip_b, c.v_b, c.n_b, rate)


@kernel
def kick(i, P, r, twist, mover, inverse):
    """Let an impulse act on a free body."""
    iM, own = mover[i].iM, twist[i]
    if iM == 0.0:
        return
    S, L = inverse[i], cross(r, P)
    own[0] += iM * P[0]
    own[1] += iM * P[1]
    own[2] += iM * P[2]
    own[3] += S[0] * L[0] + S[1] * L[1] + S[2] * L[2]
    own[4] += S[1] * L[0] + S[3] * L[1] + S[4] * L[2]
    own[5] += S[2] * L[0] + S[4] * L[1] + S[5] * L[2]


@kernel
def kick_strip(P, pool, strip, v, n, rate):
    """rate_k += R_k P."""
    for k in range(n):
        s = strip + 6 * k + 3
        rate[v + k] += pool[s] * P[0] + pool[s + 1] * P[1] + pool[s + 2] * P[2]


@kernel
def free_response(i, r, P, mover, inverse):
    """Velocity of a free body's point by an impulse there."""
    turn = sym_vec(load6(inverse[i]), cross(r, P))
    return axpy3(mover[i].iM, P, cross(turn, r))


@kernel
def strip_response(pool, strip, n, P):
    """Velocity by an impulse along a strip."""
    x, y, z = 0.0, 0.0, 0.0
    for k in range(n):
        s = strip + 6 * k
        r = pool[s + 3] * P[0] + pool[s + 4] * P[1] + pool[s + 5] * P[2]
        x += pool[s] * r
        y += pool[s + 1] * r
        z += pool[s + 2] * r
    return (x, y, z)


@kernel
def response(c, P, pool, mover, inverse):
    """W P of (1)."""
    u = add3(free_response(c.a, load3(c.r_a), P, mover, inverse), free_response(c.b, load3(c.r_b), P, mover, inverse))
    if c.strip_a >= 0:
        u = add3(u, strip_response(pool, c.strip_a, c.n_a, P))
    if c.strip_b >= 0:
        u = add3(u, strip_response(pool, c.strip_b, c.n_b, P))
    return u


@kernel
def fill_responses(c, pool, mover, inverse):
    """W (1) of a touch and its shares."""
    x = response(c, (1.0, 0.0, 0.0), pool, mover, inverse)
    y = response(c, (0.0, 1.0, 0.0), pool, mover, inverse)
    z = response(c, (0.0, 0.0, 1.0), pool, mover, inverse)
    W = (x[0], x[1], x[2], y[1], y[2], z[2])
    store3(c.W[:3], x)
    store3(c.W[3:], (y[1], y[2], z[2]))
    n = load3(c.n)
    Wn = sym_vec(W, n)
    stiff = dot3(n, Wn) + c.soft
    c.share_n = 1.0 / stiff if stiff > 0.0 else 0.0
    trace = W[0] + W[3] + W[5] - dot3(n, Wn)
    square = (W[0] ** 2 + W[3] ** 2 + W[5] ** 2 + 2.0 * (W[1] ** 2 + W[2] ** 2 + W[4] ** 2)
              - 2.0 * dot3(Wn, Wn) + dot3(n, Wn) ** 2)
    largest = 0.5 * (trace + sqrt(max(0.0, 2.0 * square - trace * trace)))
    c.share_t = 1.0 / largest if largest > 0.0 else 0.0


@kernel
def bin_of_key(state, key):
    """Bin of a key."""
    return ((key ^ (key >> 17)) * 40503 ^ (key >> 7)) & (state.known.shape[0] - 1)


@kernel
def remember_impulses(state):
    """Keep the impulses of a step for the next one."""
    p = state.progress[0]
    for k in range(state.known.shape[0]):
        state.known[k] = -1
    p.before = 0
    for i in range(p.touches):
        c = state.touch[i]
        if c.push <= 0.0:
            continue
        own, k = state.last[p.before], bin_of_key(state, c.key)
        own.key, own.push, own.next = c.key, c.push, state.known[k]
        store3(own.rub, load3(c.rub))
        state.known[k] = p.before
        p.before += 1


@kernel
def recall_impulse(state, c):
    """Begin with the impulse that the point had in the last step, turned into its present directions."""
    c.push, c.lift = 0.0, 0.0
    store3(c.rub, (0.0, 0.0, 0.0))
    k = state.known[bin_of_key(state, c.key)]
    while k >= 0:
        own = state.last[k]
        if own.key == c.key:
            n, rub = load3(c.n), load3(own.rub)
            rub = axpy3(-dot3(n, rub), n, rub)
            size, bound = sqrt(dot3(rub, rub)), c.friction * own.push
            c.push = own.push
            store3(c.rub, scale3(rub, bound / size) if size > bound else rub)
            return
        k = own.next
