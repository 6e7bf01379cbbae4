"""Every part is reduced once, whatever plans, analyses and runs ask for, and is let go with its model."""

import gc
import weakref
from collections import Counter, deque

import pytest

import dalembert as dal
from dalembert.flex import beam_superelement, reduced_body, reductions

STEEL = dal.Material(young=2.1e11, poisson=0.3, density=7850.0)
STRIP = dal.Rectangle(height=0.02, width=0.01)


@pytest.fixture
def counted(monkeypatch):
    """Count what is made of which body; bodies reduced lately are not kept, but for those in use."""
    count = Counter()

    def watch(module, name, label):
        real = getattr(module, name)

        def made(*args, **more):
            count[(name, *label(args, more))] += 1
            return real(*args, **more)

        monkeypatch.setattr(module, name, made)

    watch(beam_superelement, "reduced_beam", lambda args, more: (more["length"],))
    watch(beam_superelement, "segment_superelement", lambda args, more: (id(args[0]),))
    watch(reduced_body, "floating_body", lambda args, more: (id(args[0]), args[1]))
    monkeypatch.setattr(reductions, "_lately", deque(maxlen=1))
    return count


def chain(*lengths):
    """Beams one behind the other, each of two segments, the first clamped."""
    model = dal.Model("chain", gravity=(0, 0, -9.81))
    for k, length in enumerate(lengths):
        model.add(dal.Beam(f"rod {k}", length=length, section=STRIP, material=STEEL, bodies=2))
        model.add(dal.Fixed(f"joint {k}", f"rod {k - 1}.end" if k else "ground", f"rod {k}.start"))
    return model


def test_each_part_is_reduced_once_for_all_plans(counted):
    """Floating frames for the tree, faces for the equilibrium, the rigid twin for the rates, shapes for the picture."""
    lengths = (0.3137, 0.2711, 0.2239)  # of no other test
    model = chain(*lengths)
    rest = dal.static(model)
    runs = [dal.run(model, until=0.002, step=1e-3, start=rest, formulation=name) for name in ("recursive", "global")]
    for r in runs:
        r.shape(model, "rod 1")
        r["rod 2.end.position"]
    made = Counter(kind for kind, *_ in counted)
    assert made == {"reduced_beam": len(lengths), "segment_superelement": len(lengths), "floating_body": len(lengths)}
    assert set(counted.values()) == {1}


def test_equal_segments_share_one(counted):
    model = chain(0.3191, 0.3191)
    dal.run(model, until=0.001, step=1e-3, formulation="global")
    assert sum(value for key, value in counted.items() if key[0] == "reduced_beam") == 1


def test_reduced_bodies_are_let_go_with_their_models():
    mesh = dal.flex.box((0.5, 0.04, 0.02), divisions=(4, 1, 1), material=STEEL)
    reduced = dal.flex.craig_bampton(mesh, interfaces={"hub": "-x", "tip": "+x"}, modes=1)
    model = dal.Model("arm").add(dal.FlexibleBody("arm", reduced), dal.Fixed("clamp", "ground", "arm.hub"))
    for formulation in ("recursive", "global"):
        dal.run(model, until=0.001, step=1e-3, formulation=formulation)
    gone = weakref.ref(reduced)
    assert reduced.requested
    del model, reduced, mesh
    gc.collect()
    assert gone() is None


def test_what_was_made_of_a_body_stays_out_of_its_pickle():
    import pickle

    reduced = beam_superelement.reduced_beam(length=0.4, section=STRIP, material=STEEL)
    reductions.superelement_of(reduced)
    again = pickle.loads(pickle.dumps(reduced))
    assert reduced.requested and not again.requested and again.mass == reduced.mass
