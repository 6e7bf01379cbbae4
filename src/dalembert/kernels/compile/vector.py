"""How quads are compiled: a quad is one vector register of four numbers, and its operations are those of the machine.

Left to itself the compiler would have to find out which scalar operations on tuples belong together, and finds half of them.
An operation is defined twice, side by side: by a Python function on tuples, which says what it means and which runs where
compilation is switched off, and by the instructions that replace it in compiled kernels.  A tuple of three or four numbers
is taken as a quad wherever one is expected.
"""

from inspect import Parameter, Signature, signature
from operator import getitem

import numba
from llvmlite import ir
from numba import types
from numba.core.extending import _Intrinsic
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer, infer_global
from numba.core.typing.templates import signature as typed
from numba.extending import box, lower_builtin, lower_cast, models, register_model

NUMBER = types.float64
TUPLES = types.UniTuple(NUMBER, 3), types.UniTuple(NUMBER, 4)
VECTOR, LANE = ir.VectorType(ir.DoubleType(), 4), ir.IntType(32)
GIVEN = None
"""Type of an argument that is taken as it comes, an array."""


class QuadType(types.Type):
    """Type of a quad."""

    def __init__(self):
        super().__init__("Quad")

    def can_convert_from(self, typingctx, other):
        """A tuple of numbers is a quad."""
        return Conversion.safe if other in TUPLES else None

    def unify(self, typingctx, other):
        """What is a quad here and a tuple there is a quad."""
        return self if other in TUPLES else None


QUAD = QuadType()


@register_model(QuadType)
class QuadModel(models.PrimitiveModel):
    """A vector of the machine."""

    def __init__(self, manager, given):
        super().__init__(manager, given, VECTOR)


def lane(k: int):
    """Number of a lane, as instructions take it."""
    return ir.Constant(LANE, k)


def joined(builder, numbers):
    """Vector of up to four numbers; the others are zero."""
    x = ir.Constant(VECTOR, [0.0] * 4)
    for k, number in enumerate(numbers):
        x = builder.insert_element(x, number, lane(k))
    return x


def spread(builder, s):
    """Vector of four times the number s."""
    x = builder.insert_element(ir.Constant(VECTOR, ir.Undefined), s, lane(0))
    return picked(builder, x, x, (0, 0, 0, 0))


def picked(builder, x, y, lanes):
    """Vector of lanes of x (0 to 3) and of y (4 to 7)."""
    return builder.shuffle_vector(x, y, ir.Constant(ir.VectorType(LANE, 4), list(lanes)))


def vector_at(context, builder, kind, row, k):
    """Where vector k of a row of numbers is."""
    data = context.make_array(kind)(context, builder, value=row).data
    return builder.gep(builder.bitcast(data, VECTOR.as_pointer()), [lane(k)])


class Operation(_Intrinsic):
    """A function of quads: `code` where it is compiled, the Python function elsewhere."""

    def __init__(self, function, takes, gives, code):
        self.function = function

        def lowered(target, builder, sig, args):
            return code(target, builder, sig, *args)

        def typing(context, *args):
            return typed(gives, *(given if take is GIVEN else take for take, given in zip(takes, args, strict=True))), lowered

        names = ["context", *signature(function).parameters]
        typing.__signature__ = Signature([Parameter(name, Parameter.POSITIONAL_ONLY) for name in names])
        super().__init__(function.__name__, typing)
        self._register()

    def __call__(self, *args):
        """Evaluate in Python."""
        return self.function(*args)


def operation(takes, gives, code):
    """Give a function of quads the instructions `code(context, builder, signature, *arguments)`."""

    def decorated(function):
        return function if numba.config.DISABLE_JIT else Operation(function, takes, gives, code)

    return decorated


@infer
class QuadLane(AbstractTemplate):
    """A lane of a quad is a number."""

    key = "static_getitem"

    def generic(self, args, kws):
        """Type of quad[2]."""
        x, k = args
        return typed(NUMBER, *args) if x == QUAD and isinstance(k, int) else None


@infer_global(getitem)
class QuadItem(AbstractTemplate):
    """A lane that is counted."""

    def generic(self, args, kws):
        """Type of quad[k]."""
        x, k = args
        return typed(NUMBER, *args) if x == QUAD and isinstance(k, types.Integer) else None


@lower_builtin("static_getitem", QuadType, types.IntegerLiteral)
def lane_of_quad(context, builder, sig, args):
    """A lane that is known."""
    return builder.extract_element(args[0], lane(args[1] % 4))


@lower_builtin(getitem, QuadType, types.Integer)
def item_of_quad(context, builder, sig, args):
    """A lane that is counted."""
    return builder.extract_element(*args)


@lower_cast(types.UniTuple, QuadType)
def quad_of_tuple(context, builder, given, wanted, x):
    """A tuple as a quad."""
    return joined(builder, [builder.extract_value(x, k) for k in range(given.count)])


@box(QuadType)
def tuple_of_quad(kind, x, c):
    """A quad that is handed to Python."""
    return c.pyapi.tuple_pack([c.pyapi.float_from_double(c.builder.extract_element(x, lane(k))) for k in range(4)])
