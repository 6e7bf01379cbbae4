"""Solution with the factored matrix of an implicit step: O(N) on trees, sparse with loops, or dense and exact."""

from ...codes import FormCode
from ..algebra.dense import solve_lu
from ..algebra.sparse import solve_sparse
from ..compile.jit import part
from ..tree.factor import solve_tree


@part
def solve_factored(sys, exact, rhs, x, matrix, pivot, work):
    """x = solution with the factors at hand."""
    if exact:
        for k in range(rhs.shape[0]):
            x[k] = rhs[k]
        solve_lu(matrix, pivot, x)
    elif sys.constants[0].form != FormCode.TREE:
        solve_sparse(sys.pattern, work.factors, rhs, x)
    else:
        solve_tree(sys, rhs, x, work)
