"""Standard Input Data: round trips, dialects, meaning of the blocks, malformed files."""

import re

import numpy as np
import pytest

from dalembert.errors import FormatError, ModelError
from dalembert.flex.beam_elements import beam
from dalembert.flex.invariants import PRODUCTS, Inertia
from dalembert.flex.reduction import craig_bampton
from dalembert.flex.sid import read_sid, sid_of, write_sid
from dalembert.flex.solid_elements import box
from dalembert.formats.sid import DIALECTS, read_sid_file, write_sid_file
from dalembert.model.flexible import Material, Rectangle

EPS = np.finfo(float).eps
STEEL = Material(young=2.1e11, poisson=0.3, density=7850.0)


@pytest.fixture(scope="module")
def arm():
    fe = beam(length=1.0, section=Rectangle(height=0.04, width=0.02), material=STEEL, elements=6)
    return craig_bampton(fe, interfaces={"hub": "start", "tip": "end"}, modes=2, damping=0.01, points={"mid": 3})


@pytest.fixture(scope="module")
def block():
    fe = box((0.4, 0.1, 0.06), divisions=(3, 2, 1), material=STEEL)
    return craig_bampton(fe, interfaces={"hub": "-x", "tip": "+x"}, modes=2)


@pytest.fixture(scope="module")
def text(arm, tmp_path_factory):
    path = tmp_path_factory.mktemp("sid") / "arm.SID_FEM"
    write_sid(arm, path)
    return path.read_text()


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("frame", ["hub", ("hub", "tip"), "mean-axis"])
def test_a_round_trip_loses_no_digit(arm, tmp_path, frame, dialect):
    path = tmp_path / "arm.SID_FEM"
    write_sid(arm, path, frame=frame, dialect=dialect)
    sent, found = sid_of(arm.floating(frame)), read_sid_file(path)
    assert (found.comment, found.mass, found.modes) == (sent.comment, sent.mass, sent.modes)
    pairs = [(sent.blocks[k], found.blocks[k]) for k in sent.blocks]
    pairs += [(sent.nodes[n][k], found.nodes[n][k]) for n in sent.nodes for k in sent.nodes[n]]
    for a, b in pairs:
        assert np.array_equal(a.m0, b.m0)
        assert (a.m1 is None and b.m1 is None) or np.array_equal(a.m1, b.m1)


@pytest.mark.parametrize("stiffening", [False, True])
def test_a_body_from_a_file_has_the_same_constants(block, tmp_path, stiffening):
    write_sid(block, tmp_path / "a", stiffening=stiffening)
    sent, found = block.floating(stiffening=stiffening), read_sid(tmp_path / "a")
    for name in Inertia.__dataclass_fields__:
        a, b = (np.asarray(getattr(c.constants, name)) for c in (sent, found))
        if name == "inertia_curvature" and stiffening:  # no part of the standard; mixed with stiffening in Oe
            continue
        assert np.abs(a - b).max() <= 1e3 * EPS * np.abs(a).max(), name
    assert np.array_equal(found.centrifugal_stiffness, sent.centrifugal_stiffness)
    assert np.array_equal(found.frequencies, sent.frequencies)
    assert np.array_equal(found.damping, sent.damping)
    for name, place in sent.places.items():
        assert np.array_equal(found.places[name].motion, place.motion)
        assert np.array_equal(found.places[name].position, place.position)
    if stiffening:
        for name in sent.places:
            assert np.array_equal(found.stiffening.force[name], sent.stiffening.force[name])
            assert np.array_equal(found.stiffening.torque[name], sent.stiffening.torque[name])
        assert np.array_equal(found.stiffening.translation, sent.stiffening.translation)
        scale = np.abs(sent.stiffening.rotation).max() + np.abs(sent.constants.gyroscopic).max()
        assert np.abs(found.stiffening.rotation - sent.stiffening.rotation).max() < 1e3 * EPS * scale
    else:
        assert found.stiffening is None
    assert found.floating() is found
    with pytest.raises(ModelError, match="constants alone"):
        found.displacement(np.zeros(found.n))
    with pytest.raises(ModelError, match="frame already"):
        found.floating("tip")


@pytest.mark.parametrize("moving", [False, True])
def test_blocks_assemble_to_the_equations_of_motion(block, moving):
    """Gr, Ge, Oe, Cr and J of the file, put together as the standard says, against nodal sums of the full model.

    Gr and J are of first order in deformation and its rate together: the body is bent a little, or moves.
    """
    body = block.floating("hub", stiffening=False)
    sid, n = sid_of(body).blocks, body.n
    rng = np.random.default_rng(0)
    q, qd, w = 1e-9 * rng.standard_normal(n), rng.standard_normal(n), rng.standard_normal(3)
    q, qd = q * (not moving), qd * moving
    fe, basis = block.model, block.basis @ body.coordinates
    place, speed = fe.nodes - body.origin + (basis @ q).reshape(-1, 3), (basis @ qd).reshape(-1, 3)
    force = fe.mass @ (np.cross(w, np.cross(w, place)) + 2 * np.cross(w, speed)).ravel()
    nodal, rounding = force.reshape(-1, 3), 1e3 * EPS * np.abs(force).sum()
    products = np.array([w[a] * w[b] for a, b in PRODUCTS])
    spread = np.kron(np.eye(n), w[:, None])  # (3n, n): blocks of three columns times w

    elastic = sid["Ge"].m0 @ spread @ qd + (sid["Oe"].m0 + np.einsum("lkc,k->lc", sid["Oe"].m1, q)) @ products
    assert np.abs(elastic - basis.T @ force).max() < rounding
    inertia = sid["J"].m0 + np.einsum("akb,k->ab", sid["J"].m1, q)
    turning = np.cross(w, inertia @ w) + sid["Gr"].m0 @ spread @ qd
    assert np.abs(turning - np.cross(place, nodal).sum(axis=0)).max() < rounding
    moment = sid["mdCM"].m0[:, 0] + sid["mdCM"].m1[:, :, 0] @ q
    translation = np.cross(w, np.cross(w, moment)) + 2 * np.cross(w, sid["Ct"].m0.T @ qd)
    assert np.abs(translation - nodal.sum(axis=0)).max() < rounding
    angular = fe.mass @ np.cross([0.0, 0.0, 1.0], place).ravel()
    coupling = sid["Cr"].m0 + np.einsum("lka,k->la", sid["Cr"].m1, q)
    assert np.abs(coupling[:, 2] - basis.T @ angular).max() < 1e3 * EPS * np.abs(angular).sum()


def test_nodes_turn_with_the_body(arm):
    """Orientation of a node by its Taylor series equals a small rotation by psi q."""
    sid = sid_of(arm.floating("hub"))
    node = sid.nodes["tip"]
    q = 1e-6 * np.random.default_rng(1).standard_normal(len(sid.modes))
    x, y, z = node["psi"].m0 @ q
    turned = node["AP"].m0 + np.einsum("iqj,q->ij", node["AP"].m1, q)
    assert turned == pytest.approx(np.array([[1, -z, y], [z, 1, -x], [-y, x, 1]]), abs=10 * EPS)
    moved = node["origin"].m0[:, 0] + node["origin"].m1[:, :, 0] @ q
    assert moved == pytest.approx(np.array([1.0, 0, 0]) + node["phi"].m0 @ q, abs=10 * EPS)


def rewritten(text, tmp_path, pattern, by, count=1):
    path = tmp_path / "changed.SID_FEM"
    changed, done = re.subn(pattern, by, text, count=count, flags=re.MULTILINE)
    assert done
    path.write_text(changed)
    return path


def test_fortran_exponents_case_and_blanks(arm, text, tmp_path):
    other = re.sub(r"E([+-]\d\d)$", r"D\1", text, flags=re.MULTILINE).replace("end modal", "END  MODAL")
    other = re.sub(r"m0\( *(\d+), *(\d+)\)", r"M0 ( \1 , \2 )", other)
    (tmp_path / "b").write_text(other)
    (tmp_path / "a").write_text(text)
    a, b = read_sid_file(tmp_path / "a"), read_sid_file(tmp_path / "b")
    assert a.mass == b.mass
    for name in a.blocks:
        assert np.array_equal(a.blocks[name].m0, b.blocks[name].m0)


def test_one_triangle_is_enough(arm, text, tmp_path):
    """Upper entries of symmetric blocks left out."""
    lines, inside, kept = text.splitlines(), False, []
    for line in lines:
        inside = (inside or line.strip() == "J") and line.strip() != "end J"
        entry = re.match(r"\s*m0\( *(\d+), *(\d+)\)", line) or re.match(r"\s*m1\( *(\d+), *\d+, *(\d+)\)", line)
        if not (inside and entry and int(entry[1]) < int(entry[2])):
            kept.append(line)
    assert len(kept) < len(lines)
    (tmp_path / "half").write_text("\n".join(kept))
    (tmp_path / "whole").write_text(text)
    half, whole = (read_sid_file(tmp_path / name).blocks["J"] for name in ("half", "whole"))
    assert np.array_equal(half.m0, whole.m0) and np.array_equal(half.m1, whole.m1)


def test_units_and_zeros(arm, text, tmp_path):
    start = text.index("      Me\n")
    me = re.sub(r"structure    = \d", "structure    = 4", text[start:text.index("end Me")])
    me = "\n".join(line for line in me.splitlines() if "m0" not in line) + "\n      "
    path = tmp_path / "unit"
    path.write_text(text[:start] + me + text[text.index("end Me"):])
    assert np.array_equal(read_sid_file(path).blocks["Me"].m0, np.eye(8))


def test_a_chosen_dialect_is_obeyed_and_checked(arm, tmp_path):
    path = tmp_path / "a"
    write_sid(arm, path, dialect=DIALECTS[1])
    assert read_sid(path, dialect=DIALECTS[1]).n == 8
    with pytest.raises(FormatError, match=r"a:\d+: .*m1: found .* in the order row-mode-column"):
        read_sid(path, dialect=DIALECTS[0])
    with pytest.raises(FormatError, match="dialect: found 'french'"):
        read_sid(path, dialect="french")
    with pytest.raises(FormatError, match="dialect: found 'french'"):
        write_sid_file(read_sid_file(path), path, "french")


@pytest.mark.parametrize("pattern, by, words", [
    (r"\A.*$", "<xml>", ("1:", "<xml>", "numbers of nodes and of modes")),
    (r"\A +\d+", "    7", ("found 3 nodes", "expected 7")),
    (r"\A( +\d+) +\d+", r"\1 5", ("nelastq = 8", "expected 5")),
    (r"^part$", "parts", ("2: found 'parts'", "expected 'part'")),
    (r"nelastq .*$", "nelastq = many", ("6: nelastq: found 'many'", "whole number")),
    (r"mass .*$", "mass = heavy", ("5: mass: found 'heavy'", "expected a number")),
    (r"mass .*$", "mass = -1.0", ("positive",)),
    (r"mass .*$", "mass = NaN", ("finite",)),
    (r"^ +new node .*$", "new mode = 1", ("found 'new mode'", "new node")),
    (r"new node      = tip", "new node = hub", ("node 'hub' a second time",)),
    (r"^ +end node$", "", ("node: found 'new node'",)),
    (r"^ +nrow .*$", "", ("origin: found no nrow",)),
    (r"^      Gr$", "      Gq", ("found 'gq'", "expected one of mdCM")),
    (r"^( +m0\()   1,", r"\1  99,", ("found (99,", "expected at most (3, 3)")),
    (r"^( +m1\()( *\d+),( *\d+),", r"\1\2,  99,", ("m1: found (", "mode at most 8")),
    (r"^( +m0\() *1, *1\)", r"\1 1)", ("m0: found 1 indices, expected 2",)),
    (r"^( +m0\() *1, *1\)", r"\1 a, 1)", ("found indices (a, 1)", "whole numbers")),
    (r"^( +m0\(.*$)", r"\1\n\1", ("found a second time", "first in line")),
    (r"structure    = \d", "structure = 9", ("found structure = 9",)),
    (r"^end part$", "", ("end of the file", "end part")),
    (r"^      Ke\n(.*\n)*?      end Ke$", "", ("no block 'Ke'",)),
    (r"^ +phi\n(.*\n)*? +end phi$", "", ("no block 'phi'",)),
    (r"^part$", "part\n%%%%", ("3: found '%%%%'",)),
    (r"^( +)m0\(.*$", r"\1mn(1, 1, 1) = 1.0", (".mn: found a term of higher order",)),
    (r"^(      J\n +)order        = 1", r"\1order = 0", ("J: found m1 in a block of order = 0",)),
])
def test_malformed_files_tell_line_found_and_expected(text, tmp_path, pattern, by, words):
    path = rewritten(text, tmp_path, pattern, by)
    with pytest.raises(FormatError) as error:
        read_sid(path)
    assert "changed.SID_FEM:" in str(error.value)
    for word in words:
        assert word in str(error.value)


def test_mixed_dialects_are_refused(text, tmp_path):
    """Indices of one block in the other order."""
    start = text.index("      J\n")
    end = text.index("end J")
    swapped = re.sub(r"m1\(( *\d+),( *\d+),( *\d+)\)", r"m1(\1,\3,\2)", text[start:end])
    (tmp_path / "mixed").write_text(text[:start] + swapped + text[end:])
    with pytest.raises(FormatError, match=r"mixed:\d+: .*mixes dialects"):
        read_sid(tmp_path / "mixed")


def test_wrong_sizes_are_refused(text, tmp_path):
    path = rewritten(text, tmp_path, r"(^      Oe\n.*\n.*\n +ncol +=) 6", r"\1 7")
    with pytest.raises(FormatError, match="Oe: found 8 by 7, expected 8 by 6"):
        read_sid(path)


def test_missing_files_are_told(tmp_path):
    with pytest.raises(FormatError, match="nowhere: cannot be read"):
        read_sid(tmp_path / "nowhere")
