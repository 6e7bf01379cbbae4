"""Closed sets of codes, shared by the Python layers and the kernels.  Members are only ever appended."""

from enum import IntEnum


class JointCode(IntEnum):
    """Kind of a joint; its record says what it is, `model/joints.py`."""

    NONE = 0
    FIXED = 1
    REVOLUTE = 2
    PRISMATIC = 3
    SCREW = 4
    CYLINDRICAL = 5
    UNIVERSAL = 6
    PLANAR = 7
    SPHERICAL = 8
    FREE = 9
    ELASTIC = 10


class ForceCode(IntEnum):
    """Kind of a force element; its record says what it is, `model/forces.py`."""

    NONE = 0
    JOINT_SPRING = 1
    MOTOR = 2
    SPRING_DAMPER = 3
    BUSHING = 4
    FORCE = 5
    TORQUE = 6


class LawCode(IntEnum):
    """Kind of a law y(t, x, v); that of POINT_FUNCTION is y(t, r, r') of a point in world axes."""

    NONE = 0
    CONSTANT = 1
    SINE = 2
    TABLE = 3
    FUNCTION = 4
    RAMP = 5
    POINT_FUNCTION = 6


class SignalCode(IntEnum):
    """What a controller or an event reads of a state; a GIVEN signal is found outside of the kernels."""

    NONE = 0
    GIVEN = 1
    TIME = 2
    COORDINATE = 3
    RATE = 4
    POSITION = 5
    VELOCITY = 6
    ORIENTATION = 7
    ANGULAR_VELOCITY = 8


class DriveCode(IntEnum):
    """What a rheonomic drive prescribes of a rate's coordinate."""

    NONE = 0
    POSITION = 1
    SPEED = 2


class FormCode(IntEnum):
    """Formulation that a packed system is made for."""

    TREE = 0
    SEMI_RECURSIVE = 1
    GLOBAL = 2


class ConstraintCode(IntEnum):
    """Kind of a constraint of the model; its record, `model/constraints.py`, says which rows it is made of."""

    NONE = 0
    DISTANCE = 1
    POINT_ON_LINE = 2
    POINT_ON_PLANE = 3
    GEAR = 4
    COORDINATE_COUPLING = 5
    ROLLING = 6


class ProjectionCode(IntEnum):
    """Matrix that rates and accelerations are projected with after an implicit step with loops; constraint/multipliers.py."""

    NONE = 0
    STEP = 1
    MASS = 2
    TANGENT = 3


class RowCode(IntEnum):
    """Kind of a scalar constraint; equations in kernels/constraint/rows.py, its record in `system/row_records.py`."""

    NONE = 0
    POSITION = 1
    DIRECTION = 2
    DISTANCE = 3
    ANGLE = 4
    COORDINATES = 5
    COUPLING = 6
    WHEEL_HEIGHT = 7
    WHEEL_SLIP = 8
    COORDINATE_SPEED = 9
    TURN_SPEED = 10
    SLIDE_SPEED = 11
    UNIT = 12
    SQUARE = 13


class ShapeCode(IntEnum):
    """Kind of a shape that touches others; its record is in `model/contacts.py`."""

    NONE = 0
    POINT = 1
    SPHERE = 2
    CAPSULE = 3
    CYLINDER = 4
    BOX = 5
    PLANE = 6
    MESH = 7


class PairCode(IntEnum):
    """How the gap between two shapes is found, `kernels/contact/gaps.py`; several rows may make a contact."""

    NONE = 0
    POINT_PLANE = 1
    DISC_PLANE = 2
    POINT_POINT = 3
    POINT_SEGMENT = 4
    SEGMENT_SEGMENT = 5
    POINT_BOX = 6
    LIMIT = 7
    JOINT_FRICTION = 8


class MoverCode(IntEnum):
    """What an impulse moves, `kernels/crowd/touches.py`: nothing, a free body, or the rates of a tree."""

    FIXED = 0
    FREE = 1
    TREE = 2


class ContactMethod(IntEnum):
    """How a fixed step finds the forces of contacts [GLO], `kernels/contact/fixed.py`."""

    NONE = 0
    AUGMENTED_LAGRANGIAN = 1
    MULTIPLIER = 2
    PENALTY = 3


class ContactEventCode(IntEnum):
    """What happens to a contact at a single time."""

    NONE = 0
    IMPACT = 1
    RELEASE = 2
    STICK = 3
    SLIP = 4


class Status(IntEnum):
    """Outcome of a kernel; `start/status.py` turns everything but OK into an error that names the thing."""

    OK = 0
    RECORD_FULL = 1
    CHUNK_DONE = 2
    STIFF = 3
    NOT_FINITE = 4
    STEP_TOO_SMALL = 5
    NO_CONVERGENCE = 6
    SINGULAR = 7
    UNKNOWN_JOINT = 8
    UNKNOWN_FORCE = 9
    NOT_STIFF = 10
    NO_FRAME = 11
    LOCKED = 12
    UNKNOWN_ROW = 13
    UNBALANCED = 15
    UNKNOWN_LAW = 16
    UNKNOWN_DRIVE = 17
    UNKNOWN_FORM = 18
    UNKNOWN_PROJECTION = 19
    UNKNOWN_SIGNAL = 20
    SAMPLE = 21
    EVENT = 22
    UNKNOWN_CONTACT = 23
    NO_CONTACT_FORCES = 24
    CONTACTS_FULL = 25
    APART = 26
