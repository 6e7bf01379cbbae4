"""Bundles of tables that kernels are handed by one address.

Numba passes a NamedTuple of arrays field by field, seven numbers an array: a kernel that gets a packed model and its scratch
would have several hundred arguments, which every call hands over and every kernel that is compiled takes apart.  A bundle is
a NamedTuple for Python and one pointer for kernels: the pointer leads to a row of words, for each array its address and its
shape, for a bundle inside it that bundle's words.  The words never change during a call, which the compiler knows: it
reads them where it likes, and only those that are used.
"""

from ctypes import c_ssize_t
from functools import cache, cached_property
from hashlib import sha1

import numpy as np
from llvmlite import ir
from numba import typeof, types
from numba.core import cgutils
from numba.core.datamodel import register_default
from numba.core.datamodel.models import OpaqueModel
from numba.core.typing.templates import AttributeTemplate
from numba.extending import NativeValue, infer_getattr, lower_getattr_generic, typeof_impl, unbox
from numba.np.arrayobj import populate_array


class BundleType(types.Type):
    """Type of a bundle: names and types of its fields, and the word at which each begins."""

    def __init__(self, title: str, names: tuple, fields: tuple):
        self.fields = dict(zip(names, fields, strict=True))
        self.first, self.words = {}, 0
        for name, field in self.fields.items():
            self.first[name] = self.words
            self.words += field.words if isinstance(field, BundleType) else 1 + field.ndim
        digest = sha1("|".join(f"{name}:{field}" for name, field in self.fields.items()).encode()).hexdigest()
        super().__init__(f"{title}<{digest}>")


@cache
def _type_of(title: str, names: tuple, fields: tuple) -> BundleType:
    return BundleType(title, names, fields)


class Bundle:
    """What makes a NamedTuple of contiguous arrays and bundles a bundle; see `bundle`."""

    @cached_property
    def kernel_type(self) -> BundleType:
        """Type that kernels are compiled for."""
        return _type_of(type(self).__name__, self._fields, tuple(map(_field_type, self)))

    @cached_property
    def words(self) -> np.ndarray:
        """Addresses and shapes of the arrays, int64."""
        return np.array(self.listed(), np.int64)

    def listed(self) -> list[int]:
        """Return the words one by one; they are found once."""
        known = self.__dict__.get("_listed")
        if known is None:
            known = [word for field in self
                     for word in (field.listed() if isinstance(field, Bundle) else _array_words(field))]
            self._listed = known
        return known

    @cached_property
    def address(self) -> int:
        """Where the words lie in memory, as long as the bundle lives."""
        return self.words.ctypes.data

    def __getstate__(self):
        """Return nothing beside the fields: a copy has addresses of its own."""
        return None


HEAD = object.__basicsize__
"""Bytes of an object's head, behind which the C structure of an array has the address of its data."""


def _array_words(array: np.ndarray) -> list[int]:
    """Address and shape; asked of `array.ctypes` the address would take ten times as long, half of what a short run needs."""
    if not array.flags.c_contiguous:
        raise TypeError("arrays of a bundle are contiguous")
    return [c_ssize_t.from_address(id(array) + HEAD).value, *array.shape]


_TYPES: dict[tuple, tuple] = {}
"""Types of arrays by what they follow from: Numba walks through all columns of a table each time it is asked, and so does
the hash of a table's own type, which is kept beside, so that nothing else takes its place in memory."""


def _field_type(field):
    if isinstance(field, Bundle):
        return field.kernel_type
    kind = field.dtype
    known = _TYPES.get((id(kind), field.ndim, field.flags.num))
    if known is None:
        known = _TYPES[id(kind), field.ndim, field.flags.num] = typeof(field), kind
    return known[0]


def bundle(fields: type) -> type:
    """Make a NamedTuple class whose values are handed to kernels by address."""
    return type(fields.__name__, (Bundle, fields), {"__module__": fields.__module__, "__doc__": fields.__doc__})


class Vectors(Bundle):
    """What makes a NamedTuple of vectors of numbers a bundle that is made quickly; see `vectors`."""

    @property
    def kernel_type(self) -> BundleType:
        """Type that kernels are compiled for, the same for all of the class."""
        return _type_of_vectors(type(self))

    @classmethod
    def within(cls, block: np.ndarray, address: int, places: tuple) -> "Vectors":
        """Return vectors that lie in a block of memory at an address, each from a place of it on to another."""
        arrays = [block[first:end] for first, end in places]
        words = [word for first, end in places for word in (address + 8 * first, end - first)]
        made = cls(*arrays)
        made._listed = words
        return made

    def listed(self) -> list[int]:
        """Return the words one by one; a copy has none that are known."""
        return getattr(self, "_listed", None) or super().listed()


@cache
def _type_of_vectors(kind: type) -> BundleType:
    return _type_of(kind.__name__, kind._fields, (types.float64[::1],) * len(kind._fields))


def vectors(fields: type) -> type:
    """Make a NamedTuple class of vectors (n,) of float64 a bundle."""
    return type(fields.__name__, (Vectors, fields), {"__module__": fields.__module__, "__doc__": fields.__doc__})


register_default(BundleType)(OpaqueModel)


@typeof_impl.register(Bundle)
def _typeof_bundle(value, context):
    return value.kernel_type


@unbox(BundleType)
def _unbox_bundle(kind, value, c):
    address = c.pyapi.object_getattr_string(value, "address")
    pointer = c.pyapi.long_as_voidptr(address)
    c.pyapi.decref(address)
    return NativeValue(pointer, is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


@infer_getattr
class _BundleFields(AttributeTemplate):
    """A field has its own type."""

    key = BundleType

    def generic_resolve(self, kind, name):
        return kind.fields.get(name)


def load_word(builder, pointer, at: int, wanted):
    """Read a word that never changes during a call."""
    place = builder.gep(builder.bitcast(pointer, ir.IntType(64).as_pointer()), [ir.IntType(64)(at)])
    word = builder.load(builder.bitcast(place, wanted.as_pointer()))
    word.set_metadata("invariant.load", builder.module.add_metadata([]))
    return word


@lower_getattr_generic(BundleType)
def _field_of_bundle(context, builder, kind, pointer, name):
    field, at = kind.fields[name], kind.first[name]
    if isinstance(field, BundleType):
        return builder.gep(pointer, [ir.IntType(64)(8 * at)], source_etype=ir.IntType(8))
    size = context.get_abi_sizeof(context.get_data_type(field.dtype))
    shape = [load_word(builder, pointer, at + 1 + k, ir.IntType(64)) for k in range(field.ndim)]
    strides = [_product(builder, shape[k + 1:], size) for k in range(field.ndim)]
    array = context.make_array(field)(context, builder)
    populate_array(array, data=load_word(builder, pointer, at, array.data.type), shape=shape, strides=strides,
                   itemsize=ir.IntType(64)(size), meminfo=None)
    return array._getvalue()


def _product(builder, factors: list, size: int):
    product = ir.IntType(64)(size)
    for factor in factors:
        product = builder.mul(product, factor)
    return product
