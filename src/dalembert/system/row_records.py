"""Records of the scalar constraints: what a row depends on, whether it binds rates, and in which unit it counts."""

from __future__ import annotations

from dataclasses import dataclass

from ..codes import RowCode


@dataclass(frozen=True)
class RowRecord:
    """What a kind of scalar constraint is; its equations are in kernels/constraint and kernels/natural/shapes.py.

    Attributes
    ----------
    code : RowCode
    vectors : str
        Which of the vectors d, e, f, h of kernels/natural/shapes.py it depends on; empty for rows between coordinates.
    binds_rates : bool
        Whether it binds rates only (non-holonomic).
    of_angle : bool
        Whether it counts in rad, or in cosines; otherwise in m.
    whole_bodies : str
        What of its two bodies moves it in whatever place and direction: ``"axes"``, ``"origin axes"`` or nothing.
    """

    code: RowCode
    vectors: str = ""
    binds_rates: bool = False
    of_angle: bool = False
    whole_bodies: str = ""


ROW_RECORDS: dict[RowCode, RowRecord] = {record.code: record for record in (
    RowRecord(RowCode.POSITION, "de"),
    RowRecord(RowCode.DIRECTION, "eh", of_angle=True),
    RowRecord(RowCode.DISTANCE, "d"),
    RowRecord(RowCode.ANGLE, "efh", of_angle=True),
    RowRecord(RowCode.COORDINATES),
    RowRecord(RowCode.COUPLING),
    RowRecord(RowCode.WHEEL_HEIGHT, "deh"),
    RowRecord(RowCode.WHEEL_SLIP, binds_rates=True, whole_bodies="origin axes"),
    RowRecord(RowCode.COORDINATE_SPEED, binds_rates=True),
    RowRecord(RowCode.TURN_SPEED, binds_rates=True, of_angle=True, whole_bodies="axes"),
    RowRecord(RowCode.SLIDE_SPEED, "de", binds_rates=True),
    RowRecord(RowCode.UNIT, "e"),
    RowRecord(RowCode.SQUARE, "ef"),
)}
