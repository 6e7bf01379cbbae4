"""The tables that kernels work on: one row per object, fields with unit and frame.

`System` holds what a model is (frozen), `Work` the scratch of a thread.  The frame of a body in the kernels is its
*joint frame*: origin at the second attachment of the joint that carries it, axes chosen so that the joint's own axis
is the local z.  Suffix _b: these axes; _p: the parent's; _w: world.  A symmetric matrix is (xx, xy, xz, yy, yz, zz).

Every joint has rates whose directions are constant in the parent's joint frame; a universal joint is two rows with a
massless body between.  A body's coordinates are the block q[b.q : b.q + b.nq], its rates qd[b.v : b.v + b.nv]; the
elastic coordinates of a flexible body follow its joint's (flex/floating_tables.py).
"""

from typing import NamedTuple

import numpy as np

from ..codes import FormCode
from .algebra.sparse import Factors, Pattern, make_factors, make_values
from .compile.bundle import bundle
from .compile.record import record as _record
from .compile.record import record_in_lines, zeros_in_lines
from .control.tables import Control, ControlWork, make_control_work
from .flex.floating_tables import Floating, FloatingWork, make_floating_work
from .flex.superelement_tables import Superelements, SuperWork, make_super_work
from .loop_calls import CALLS
from .scratch import Scratch, make_scratch

CONSTANTS = _record(
    ("g_w", "f8", 3),  # gravity [m/s²]
    ("n_q", "i8"),  # number of coordinates
    ("n_v", "i8"),  # number of rates
    ("form", "i8"),  # FormCode
    ("reference", "i8"),  # where masses and forces are accumulated: 0 the world's origin, 1 centres of mass
    ("places", "i8"),  # 1 if forces need positions and velocities of bodies
    ("pivot", "i8"),  # 1 if a body's mass matrix is singular: joints' directions are taken in the order of their inertia
    ("rotors", "i8"),  # number of rates with rotors
    ("modular", "i8"),  # 1 if rows are penalties of components, which no solution and no projection meets exactly
)

BODY = record_in_lines(
    ("parent", "i8"),  # row of the parent
    ("code", "i8"),  # JointCode of the joint that carries the body
    ("plain", "i8"),  # 1 for an undriven revolute joint, which takes the short way through the elimination
    ("q", "i8"),  # first coordinate
    ("nq", "i8"),
    ("v", "i8"),  # first rate
    ("nv", "i8"),
    ("end", "i8"),  # rows i..end-1 are the subtree of row i
    ("column", "i8"),  # first natural coordinate; -1 for the ground
    ("columns", "i8"),  # number of them
    ("flex", "i8"),  # row of `Floating.element`, or of `Floating.face` if the code is ELASTIC; -1 for rigid bodies
    ("d_p", "f8", 3),  # joint origin, from the parent's origin, parent's axes [m]
    ("R_pj", "f8", 9),  # joint frame at coordinate zero -> parent's axes
    ("mass", "f8"),  # [kg]
    ("h_b", "f8", 3),  # mass times centre of mass, from the origin [kg m]
    ("J_b", "f8", 6),  # inertia about the origin [kg m²]
    ("u_b", "f8", 3),  # origin of the user's body frame [m]
    ("R_bu", "f8", 9),  # user's body frame -> joint frame
)

DOF = _record(
    ("body", "i8"),  # row of the body the rate belongs to
    ("drive", "i8"),  # row of the drive, or -1
    ("axis", "i8"),  # axis of the joint frame along which its coordinate slides; -1: an angle, -2: of a quaternion
    ("armature", "f8"),  # inertia of a rotor that turns or slides with the rate alone [kg m² or kg]
    ("s_n", "f8", 3),  # direction of turning, joint frame at coordinate zero [-]
    ("s_f", "f8", 3),  # direction of moving, joint frame at coordinate zero [m/rad or -]
    ("e_n", "f8", 3),  # moment that a unit effort makes, axes of the joint's last row at coordinate zero [-]
    ("e_f", "f8", 3),  # force that a unit effort makes, at the joint's second attachment
    ("q_scale", "f8"),  # size of the coordinate that an accuracy refers to [rad or m]
    ("qd_scale", "f8"),  # likewise of the rate
    ("gauge", "f8"),  # inertia in place of the missing one of a motion with constraints [kg m² or kg]
)

PAIR = _record(
    ("q", "i8"),  # coordinate that is the integral of rate v
    ("v", "i8"),
    ("body", "i8"),  # of a natural coordinate: row of its body, 0 for modes
)
QUATERNION = _record(("q", "i8"), ("v", "i8"))  # quaternion q..q+3 turned by the rates v..v+2 (fixed axes)

FORCE = record_in_lines(
    ("code", "i8"),  # ForceCode
    ("a", "i8"),  # row of the first body; the ground for a load
    ("b", "i8"),  # row of the second body
    ("q", "i8"),  # coordinate of joint elements
    ("v", "i8"),  # rate of joint elements
    ("law", "i8"),  # row of the law, or -1
    ("held", "i8"),  # output of a controller that adds to it, or -1
    ("follow", "i8"),  # 1 if the direction turns with the body
    ("rest", "f8"),  # rest coordinate or free length [rad or m]
    ("k", "f8", 3),  # stiffness [N/m or N m/rad]
    ("c", "f8", 3),  # damping [N s/m or N m s/rad]; what joint elements need ends here, in two lines
    ("kt", "f8", 3),  # turning stiffness [N m/rad]
    ("ct", "f8", 3),  # turning damping [N m s/rad]
    ("dir", "f8", 3),  # direction of a force or torque [-]
    ("u_a", "f8", 3),  # attachment on the first body, its joint frame [m]
    ("R_a", "f8", 9),  # attachment's axes -> joint frame
    ("u_b", "f8", 3),
    ("R_b", "f8", 9),
)

LAW = _record(
    ("code", "i8"),  # LawCode
    ("p", "f8", 4),  # parameters
    ("first", "i8"),  # first row of a table in Knots
    ("count", "i8"),  # number of its rows
    ("address", "i8"),  # of a function double(t, x, v), or double(t, x, y, z, vx, vy, vz) for POINT_FUNCTION
    ("dt", "f8"),  # spacing of its numerical derivatives [s]
)

KNOT = _record(("t", "f8"), ("c", "f8", 4))  # y = c0 + c1 s + c2 s² + c3 s³ with s = time after t

DRIVE = _record(
    ("code", "i8"),  # DriveCode
    ("q", "i8"),
    ("v", "i8"),
    ("law", "i8"),
)


JOINT = _record(
    ("first", "i8"),  # first row of the joint; its parent carries the joint
    ("last", "i8"),  # last row: the carried body
    ("v", "i8"),  # first rate
    ("nv", "i8"),
    ("reversed", "i8"),  # 1 if the carried body is the joint's first one
)


ROW = _record(
    ("code", "i8"),  # RowCode
    ("rate_only", "i8"),  # 1 for a row that binds rates only
    ("a", "i8"),  # row of the first body
    ("b", "i8"),  # row of the second body
    ("law", "i8"),  # row of the law, or -1
    ("first", "i8"),  # first of its entries in Jacobian order
    ("count", "i8"),  # number of its entries
    ("term", "i8"),  # first of its terms
    ("terms", "i8"),  # number of its terms
    ("u_a", "f8", 3),  # point on the first body, its joint frame [m]
    ("u_b", "f8", 3),
    ("e_a", "f8", 3),  # direction fixed in the first body, its joint frame [-]
    ("f_a", "f8", 3),  # second direction there
    ("e_b", "f8", 3),
    ("c", "f8"),  # constant part of the prescribed value [m, rad or -]
    ("radius", "f8"),  # of a wheel [m]
    ("size", "f8"),  # size by which a violation is normalised [m, rad or -]
    ("penalty", "f8"),  # a large multiple of the mass that the row moves
    ("stiffness", "f8"),  # likewise of the stiffness of superelements that it works against [N/m or N m]
    ("given", "f8"),  # penalty that the user asks for in implicit steps, 0 for none [N/m or N m]
)

TERM = _record(
    ("q", "i8"),  # coordinate
    ("v", "i8"),  # its rate
    ("c", "f8"),  # factor
)

HOLD = _record(("first", "i8"), ("count", "i8"))  # rows of a joint that closes a loop, or of a constraint

ENTRY = _record(
    ("column", "i8"),  # rate (joint coordinates) or coordinate (natural ones)
    ("side", "i8"),  # 0: of the first body, 1: of the second, 2: of a term, or of another body, 3: elastic
    ("a", "i8"),  # of an elastic one: the face that moves the first body, or -1
    ("b", "i8"),  # likewise the second
)

SLOT = _record(
    ("column", "i8"),  # first of the three coordinates
    ("weight", "f8", 4),  # of the slot in the vectors d, e, f, h of its row, see natural/shapes.py
)


@bundle
class System(NamedTuple):
    """A packed model: frozen tables."""

    constants: np.ndarray  # (1,) CONSTANTS
    body: np.ndarray  # (n_body,) BODY; row 0 is the ground
    dof: np.ndarray  # (n_v,) DOF
    pair: np.ndarray  # PAIR
    quaternion: np.ndarray  # QUATERNION
    force: np.ndarray  # FORCE
    law: np.ndarray  # LAW
    knot: np.ndarray  # KNOT
    drive: np.ndarray  # DRIVE
    joint: np.ndarray  # JOINT
    row: np.ndarray  # (m,) ROW: constraints
    term: np.ndarray  # TERM
    entry: np.ndarray  # ENTRY: places of the constraint Jacobian, row by row
    slot: np.ndarray  # SLOT: likewise three entries each, natural coordinates only
    hold: np.ndarray  # HOLD
    pattern: Pattern  # of the matrix M + Jᵀ α J; empty for trees
    mass_place: np.ndarray  # i8, places in it of the mass matrix and of force elements, in the order of their evaluation
    row_place: np.ndarray  # i8, likewise of the products of each row's entries: (0,0), (1,0), (1,1), (2,0), ...
    sup: Superelements  # flexible bodies in absolute interface coordinates; none in joint coordinates
    floating: Floating  # flexible bodies in floating frames
    control: Control  # signals, controllers and switches


BODY_WORK = record_in_lines(
    ("E_wb", "f8", 12),  # columns of R_wb: the body's axes, in quads (see algebra/quad.py)
    ("w_w", "f8", 4),  # angular velocity [rad/s]
    ("d_w", "f8", 4),  # own origin from the parent's [m]
    ("ca_w", "f8", 4),  # angular acceleration without the parent's and the rates' own [rad/s²]
    ("cl_w", "f8", 4),  # same of the origin [m/s²]
    ("en", "f8", 4),  # applied moment about the origin minus the gyroscopic one [N m]
    ("ef", "f8", 4),  # applied force minus the centrifugal one [N]
    ("A_J", "f8", 12),  # own inertia about the origin, then articulated inertia, by rows, see algebra/spatial.py [kg m²]
    ("A_H", "f8", 12),  # likewise [kg m]
    ("A_M", "f8", 12),  # likewise [kg]
    ("al_w", "f8", 4),  # angular acceleration
    ("a_w", "f8", 4),  # acceleration of the origin minus gravity
    ("h_w", "f8", 4),  # mass times centre of mass [kg m]
    ("size_n", "f8"),  # largest trace of J that was eliminated further out [kg m²]; models with singular bodies only
    ("size_f", "f8"),  # likewise of M [kg]
    ("r_w", "f8", 3),  # position of the origin [m]
    ("v_w", "f8", 3),  # velocity of the origin [m/s]
    ("n", "f8", 3),  # moment about the origin that the joint carries, of inverse dynamics
    ("f", "f8", 3),  # force that the joint carries
)

DOF_WORK = record_in_lines(
    ("s_n", "f8", 4),  # direction of turning, world axes
    ("U_n", "f8", 4),  # articulated inertia times direction
    ("U_f", "f8", 4),
    ("iD", "f8"),  # inverse of the inertia along the direction
    ("u", "f8"),  # effort left to accelerate it
    ("order", "i8"),  # rate eliminated at this place of its joint
    ("s_f", "f8", 4),  # direction of moving
)

ROW_WORK = _record(
    ("Phi", "f8"),  # violation [m, rad or -]
    ("Phid", "f8"),  # its time derivative
    ("Phidd", "f8"),  # second time derivative for the present accelerations of the bodies
    ("Phi_t", "f8"),  # part of Phid that the laws make
    ("n_a", "f8", 3),  # moment about the first body's origin that a unit multiplier makes, world axes
    ("f_a", "f8", 3),  # force there
    ("n_b", "f8", 3),
    ("f_b", "f8", 3),
    ("lam", "f8"),  # lambda; the load is minus multiplier times (n, f)
    ("lam_last", "f8"),  # lambda of the last step
    ("lam_shown", "f8"),  # with what its projections added; nan where that is no reaction
    ("pen", "f8"),  # alpha of the acceleration level, a multiple of the mass that the row moves
    ("gap", "f8"),  # what is left to remove at the level that is being solved
    ("lam_now", "f8"),  # multiplier at that level
    ("product", "f8"),  # what a turn for the gap takes off it
    ("along", "f8"),  # combination of gaps that is conjugate to earlier ones
    ("taken", "f8"),  # what its turn takes off the gap
)

FACTOR_BODY = _record(("d_w", "f8", 3), ("n", "f8", 3), ("f", "f8", 3), ("al", "f8", 3), ("a", "f8", 3))

ADDRESSES = _record(*((call.slot, "i8") for call in CALLS))
"""Addresses of the kernels of constrained mechanisms, zero in trees; see loop_calls.py."""

FAIL = _record(
    ("rate", "i8"),  # rate (in natural coordinates: coordinate) without inertia, not finite, or slowest to converge
    ("superelement", "i8"),  # without a floating frame
    ("body", "i8"),  # row of the body whose joint is of an unknown kind
    ("force", "i8"),  # of an unknown kind
    ("law", "i8"),
    ("drive", "i8"),
    ("row", "i8"),  # constraint row of an unknown kind
    ("signal", "i8"),  # likewise
    ("form", "i8"),  # unknown code of a formulation itself
    ("projection", "i8"),  # likewise of a projection
)
"""What a kernel failed at; its status says which of the fields."""

RANK = _record(
    ("massless", "i8"),  # rates without inertia that the last elimination has met
    ("allowed", "i8"),  # how many of them are no failure
)

VARIATION = _record(
    ("phi", "f8", 3),  # of the rotation, world axes
    ("w", "f8", 3),
    ("al", "f8", 3),
    ("a", "f8", 3),
    ("d", "f8", 3),
    ("r", "f8", 3),
    ("v", "f8", 3),
    ("n", "f8", 3),  # of the joint load
    ("f", "f8", 3),
)


@bundle
class Work(NamedTuple):
    """Scratch of one thread."""

    body: np.ndarray  # (n_body,) BODY_WORK
    dof: np.ndarray  # (n_v,) DOF_WORK
    factor_body: np.ndarray  # (n_body,) FACTOR_BODY
    factor_dof: np.ndarray  # (n_v,) DOF_WORK
    variation: np.ndarray  # (n_body,) VARIATION
    scratch: Scratch  # vectors of the evaluations
    cosine: np.ndarray  # (n_q,) of the coordinates
    sine: np.ndarray  # (n_q,)
    row: np.ndarray  # (m,) ROW_WORK
    jacobian: np.ndarray  # (n_entry,) values of the constraint Jacobian
    factored: np.ndarray  # (n_entry,) those that the factors were made with
    joint_q: np.ndarray  # joint coordinates of natural ones
    joint_qd: np.ndarray
    joint_qdd: np.ndarray
    factors: Factors  # of M + Jᵀ α J
    mass: np.ndarray  # its part M, in the places of the pattern
    no_matrix: np.ndarray  # (0, 0)
    no_pivot: np.ndarray  # (0,) i8
    entries: np.ndarray  # (1,) ADDRESSES
    fail: np.ndarray  # (1,) FAIL
    rank: np.ndarray  # (1,) RANK
    sup: SuperWork  # of superelements
    floating: FloatingWork  # of flexible bodies in floating frames
    control: ControlWork  # outputs and memory of controllers, loads from outside


def _make_joint_state(system: System) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Joint coordinates, rates and accelerations, for natural coordinates only."""
    if system.constants[0].form != FormCode.GLOBAL:
        return np.zeros(0), np.zeros(0), np.zeros(0)
    n_q, n_v = int(np.max(system.body["q"] + system.body["nq"])), system.dof.shape[0]
    return np.zeros(n_q), np.zeros(n_v), np.zeros(n_v)


def make_work(system: System) -> Work:
    """Allocate the scratch of one thread."""
    n_body = system.body.shape[0]
    n_q, n_v = int(system.constants[0].n_q), int(system.constants[0].n_v)
    rows = np.zeros(system.row.shape[0], ROW_WORK)
    rows["pen"] = system.row["penalty"]
    rows["lam_shown"] = np.nan
    return Work(zeros_in_lines(n_body, BODY_WORK), zeros_in_lines(n_v, DOF_WORK), np.zeros(n_body, FACTOR_BODY),
                zeros_in_lines(n_v, DOF_WORK), np.zeros(n_body, VARIATION), make_scratch(n_q, n_v),
                np.zeros(n_q), np.zeros(n_q), rows, np.zeros(system.entry.shape[0]), np.zeros(system.entry.shape[0]),
                *_make_joint_state(system),
                make_factors(system.pattern), make_values(system.pattern),
                np.zeros((0, 0)), np.zeros(0, np.int64), np.zeros(1, ADDRESSES), np.zeros(1, FAIL), np.zeros(1, RANK),
                make_super_work(system.sup), make_floating_work(system.floating),
                make_control_work(system.control, 1 + int(np.max(system.force["held"], initial=-1))))
