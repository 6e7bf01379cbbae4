"""Robots that nobody here wrote agree with Pinocchio and MuJoCo; they lie in packages of the extras [test] and [robots]."""

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import dalembert as dal

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from foreign_peers import AGREED
from foreign_sources import MJCF_PACKAGES, URDF_PACKAGES, files

SMALL = ("gymnasium",)
"""Packages that are small enough for every run of the tests."""
CHOSEN = {
    "example-robot-data": ("panda.urdf", "ur5_robot.urdf", "solo12.urdf", "talos_left_arm.urdf", "anymal_b_simple_description",
                           "allegro_left_hand.urdf", "pr2.urdf"),
    "dm-control": ("suite/humanoid.xml", "suite/fish.xml", "suite/quadruped.xml", "third_party/kinova/jaco_arm.xml",
                   "suite/dog.xml"),
    "gymnasium-robotics": ("hand/reach.xml", "hand/manipulate_block.xml", "fetch/reach.xml"),
    "robosuite": ("panda/robot.xml", "robotiq_gripper_85.xml", "robotiq_gripper_s.xml", "grippers/fourier_left_hand.xml"),
}
"""Parts of the paths of what the default run takes from the other packages; the slow run takes everything."""


def check(source):
    """Compare one file with its peer."""
    needed = "pinocchio" if source.path.suffix == ".urdf" else "mujoco"
    if find_spec(needed) is None:
        pytest.skip(f"{needed} is not installed: pip install 'dalembert[robots]'")
    from foreign_models import examine, is_model

    if not is_model(source):
        pytest.skip("a part of a model, or nothing moves in it")
    row = examine(source, motion=moves(source))
    if row["refused"]:
        pytest.skip(f"cannot be compared: {row['said']}")
    assert row["agrees"], row["said"]
    assert max(row[key] or 0.0 for key in ("accelerations", "loads", "motion")) <= AGREED


def moves(source):
    """Whether motions are compared, too."""
    return source.package in SMALL or source.path.suffix == ".urdf"


def sources(wanted):
    """Return the files of installed packages that are wanted, or one mark that says what to install."""
    suffixes = [(package, ".urdf") for package in URDF_PACKAGES] + [(package, ".xml") for package in MJCF_PACKAGES]
    found = [source for package, suffix in suffixes for source in files(package, suffix) if wanted(source)]
    return [pytest.param(source, id=source.label) for source in found] or [
        pytest.param(None, marks=pytest.mark.skip(reason="no robots are installed: pip install 'dalembert[robots]'"))]


@pytest.mark.parametrize("source", sources(lambda s: s.package in SMALL))
def test_small_packages(source):
    """Accelerations, joint loads and motions of every model."""
    check(source)


@pytest.mark.parametrize("source", sources(lambda s: any(part in str(s.path) for part in CHOSEN.get(s.package, ()))))
def test_chosen_robots(source):
    """Arms, legs, hands, loops, meshes and springs of the larger packages."""
    check(source)


@pytest.mark.parametrize("source", sources(lambda s: s.package in SMALL))
def test_model_texts_keep_them(source):
    """Written and read again: the same text."""
    if find_spec("mujoco") is None:
        pytest.skip("mujoco is not installed: pip install 'dalembert[robots]'")
    text = dal.to_text(dal.read_mjcf(source.path))
    assert dal.to_text(dal.from_text(text)) == text


@pytest.mark.skipif(find_spec("mujoco") is None or not files("gymnasium", ".xml"),
                    reason="mujoco or gymnasium is not installed: pip install 'dalembert[test]'")
def test_the_benchmark_counts(capsys):
    """One line per model and the totals; the requirement applies to all models only."""
    from foreign_models import main

    assert main(["--smoke", "--check", "--only", "gymnasium/envs"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line[:2] for line in lines[1:-1]] == ["ok"] * 3
    assert lines[-1].startswith("3 models: 3 read, 3 of them agree to 1e-09; 0 cannot be")
    assert main(["--check", "--only", "gymnasium/envs/mujoco/assets/hopper"]) == 1


@pytest.mark.slow
@pytest.mark.parametrize("source", sources(lambda s: s.package not in SMALL))
def test_all_robots(source):
    """All that is installed."""
    check(source)
