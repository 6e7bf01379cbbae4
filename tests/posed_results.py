"""Results made by hand: flexible parts whose places stand where a test puts them."""

import numpy as np

from dalembert.model.check import check
from dalembert.results.results import Results
from dalembert.results.tables import TABLES, frame_shapes
from dalembert.system.layout import FaceEntry, FlexibleEntry, JointEntry, Layout, PointEntry
from dalembert.system.quaternion import quaternions_of

UNIT = (1.0, 0.0, 0.0, 0.0)


def posed(model, poses, modal=None, frames=None, entered=None):
    """Return results whose bodies stand at poses, name -> positions (nf, 3) and axes (nf, 3, 3).

    `modal` maps flexible bodies to recorded coordinates (nf, n); `frames` maps some of them to the pose of their floating
    frame, and `entered` to the text of the place that it is tangent at.
    """
    checked, modal, frames, entered = check(model), modal or {}, frames or {}, entered or {}
    names = [b.name for b in checked.bodies] + [f"{name} (frame)" for name in frames]
    row_of = {name: row for row, name in enumerate(names)}
    nf = len(next(iter(poses.values()))[0])
    q, entries, joints = np.zeros((nf, 0)), [], []
    for flexible in checked.flexibles:
        own = modal.get(flexible.name, np.zeros((nf, 0)))
        body = row_of.get(f"{flexible.name} (frame)", -1)
        entries.append(FlexibleEntry(flexible.name, flexible.part, body, q.shape[1], q.shape[1], own.shape[1],
                                     tuple(f"mode {k + 1}" for k in range(own.shape[1]))))
        q = np.hstack([q, own])
        if body >= 0:
            first = entered.get(flexible.name, "ground")
            joints.append(JointEntry(f"{flexible.name}: carrier", "fixed", body, 0, 0, 0, 0, (), False, first, "",
                                     hidden=True))
    faces = tuple(FaceEntry(name, i, b.base, tuple(map(float, b.offset))) for i, b in enumerate(checked.bodies) if b.base >= 0
                  for name in (b.name, *(place.text for place in b.points.values())))
    points = tuple(PointEntry(place.text, i, tuple(map(float, place.position)), UNIT)
                   for i, b in enumerate(checked.bodies) for place in b.points.values())
    layout = Layout(checked.name, tuple(names), points, tuple(joints), (), (), q.shape[1], q.shape[1], faces=faces,
                    flexibles=tuple(entries), hidden=tuple(range(len(checked.bodies), len(names))))
    tables = {name: np.zeros((nf, *shape)) for name, shape in frame_shapes(layout).items() if name in TABLES}
    tables["body"][:, :, 3] = 1.0
    for name, (position, axes) in {**poses, **{f"{k} (frame)": v for k, v in frames.items()}}.items():
        tables["body"][:, row_of[name], :3] = position
        tables["body"][:, row_of[name], 3:7] = quaternions_of(np.asarray(axes))
    zero = np.zeros((nf, q.shape[1]))
    return Results({"t": np.arange(nf) * 0.1, "q": q, "qd": zero, "qdd": zero}, layout, tables=tables)
