"""Commands that need no solver: help, check, examples, show, cite, convert, and the faults of run."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest
import synthetic
from click.testing import CliRunner

from dalembert.cli import sources
from dalembert.cli.main import main
from dalembert.results.store import load

HEAVY = {"numba", "scipy", "matplotlib", "h5py"}


def call(*arguments):
    """Run the command in this process."""
    return CliRunner().invoke(main, [str(a) for a in arguments])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def out(folder):
    return synthetic.results().save(folder / "out.h5")


@pytest.mark.parametrize("arguments, forbidden", [
    (["--help"], HEAVY | {"numpy", "rich", "pydantic", "ruamel"}),
    (["run", "--help"], HEAVY | {"numpy", "rich", "pydantic", "ruamel"}),
    (["--version"], HEAVY | {"numpy", "rich", "pydantic", "ruamel"}),
    (["examples"], HEAVY | {"numpy", "rich", "pydantic", "ruamel"}),
    (["check", "double-pendulum"], HEAVY | {"pydantic"}),
])
def test_nothing_heavy_is_imported(arguments, forbidden):
    code = (f"import sys\nfrom dalembert.cli.main import main\nmain({arguments!r}, standalone_mode=False)\n"
            "print(*sys.modules, file=sys.stderr)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert forbidden & set(done.stderr.split()) == set()


def test_help_lists_the_commands():
    text = call("--help").output
    assert all(name in text for name in ("run", "check", "show", "examples", "convert", "cite", "warm"))


def test_version():
    assert call("--version").output.startswith("dalembert ")


def test_examples_have_descriptions_and_are_found():
    lines = call("examples").output.splitlines()
    assert any(line.split()[:3] == ["double-pendulum", "Two", "rods"] for line in lines)
    assert all(len(line.split(maxsplit=1)) == 2 for line in lines)
    for name in sources.bundled():
        assert sources.read_model(sources.find_model(name)).run["until"] > 0


def test_check_tells_what_a_model_consists_of():
    result = call("check", "double-pendulum")
    assert result.exit_code == 0
    for part in ("bodies       2, mass 2 kg", "joints       2 (revolute)", "coordinates  2, rates 2",
                 "      upper  (shoulder: revolute)\n        lower  (elbow: revolute)"):
        assert part in result.output


def test_check_of_a_faulty_model_tells_all_faults_and_exits_with_2(folder):
    (folder / "bad.yaml").write_text("bodies:\n  rod: {mass: -2.0}\n"
                                     "joints:\n  j: {type: revolut, between: [ground, rod]}\n")
    result = call("check", "bad.yaml")
    assert result.exit_code == 2 and result.stdout == ""
    assert "bad.yaml:2" in result.stderr and "bad.yaml:4" in result.stderr and "Traceback" not in result.stderr


LOOP = """name: four-bar
ground: {far: [2, 0, 0]}
bodies:
  left: {mass: 1.0, inertia: [1, 1, 1], points: {top: [0, 1, 0]}}
  bar: {mass: 1.0, inertia: [1, 1, 1], points: {end: [2, 0, 0]}}
  right: {mass: 1.0, inertia: [1, 1, 1], points: {top: [0, LENGTH, 0]}}
joints:
  base: {type: revolute, between: [ground, left], axis: [0, 0, 1], start: 0.2}
  near: {type: revolute, between: [left.top, bar], axis: [0, 0, 1]}
  far: {type: revolute, between: [bar.end, right.top], axis: [0, 0, 1]FAR}
  foot: {type: revolute, between: [ground.far, right], axis: [0, 0, 1]}
constraints:
  stay: {type: gear, between: [base, foot], ratio: 1.0}
run: {until: 1.0}
"""


def test_check_closes_loops_and_tells_what_is_held_more_than_once(folder):
    (folder / "loop.yaml").write_text(LOOP.replace("LENGTH", "1").replace("FAR", ""))
    result = call("check", "loop.yaml")
    assert result.exit_code == 0, result.stderr
    for part in ("loops        closed by", "constraints  stay",
                 "mobility     1 degree of freedom: 3 joint rates, 6 constraints, 4 of them redundant: "):
        assert part in result.output


def test_check_tells_the_same_as_json(folder):
    (folder / "loop.yaml").write_text(LOOP.replace("LENGTH", "1").replace("FAR", ""))
    said, told = call("check", "loop.yaml").output, json.loads(call("check", "loop.yaml", "--json").stdout)
    assert told["name"] in said and f"mobility     {told['mobility']}" in said and ", ".join(told["loops"]) in said
    assert told["constraints"] == ["stay"] and f"coordinates  {told['coordinates']}, rates {told['rates']}" in said
    (folder / "short.yaml").write_text("bodies: {rod: {mass: -1.0}}\n")
    failed = call("check", "short.yaml", "--json")
    assert failed.exit_code == 2 and json.loads(failed.stdout)["error"] == "ModelError"


def test_check_shows_a_joint_that_something_acts_on_though_it_closes_a_loop(folder):
    (folder / "loop.yaml").write_text(LOOP.replace("LENGTH", "1").replace("FAR", ", cut: true, start: -0.2"))
    assert "= right  (far: revolute, closes a loop)" in call("check", "loop.yaml").output


def test_check_of_what_cannot_be_assembled_exits_with_2(folder):
    (folder / "short.yaml").write_text(LOOP.replace("LENGTH", "9").replace("FAR", ""))
    result = call("check", "short.yaml")
    assert result.exit_code == 2 and result.stdout == ""
    assert result.stderr.startswith("AssemblyError: ") and "Traceback" not in result.stderr
    assert re.search(r"lacks [\d.]+ m \(moving along", result.stderr)


def test_channels_of_constraints_and_loops_can_be_drawn(folder):
    from dalembert.cli.run import _refuse_unknown_owners
    from dalembert.errors import ChannelError
    from dalembert.model.check import check

    (folder / "loop.yaml").write_text(LOOP.replace("LENGTH", "1").replace("FAR", ""))
    checked = check(sources.read_model(folder / "loop.yaml"))
    _refuse_unknown_owners(checked, ("stay.effort", "far.angle", "near.angle", "bar.end.position"))
    with pytest.raises(ChannelError, match="Did you mean 'stay'"):
        _refuse_unknown_owners(checked, ("stayy.effort",))


def test_channels_of_flexible_bodies_can_be_drawn():
    from dalembert.cli.run import _refuse_unknown_owners
    from dalembert.errors import ChannelError
    from dalembert.model.check import check

    checked = check(sources.read_model(sources.find_model("flexible-manipulator")))
    _refuse_unknown_owners(checked, ("arm 1.modal", "arm 1.end.deflection", "arm 2.start.position", "energy.elastic"))
    with pytest.raises(ChannelError, match=r"Known: .*arm 2\.start, beta"):
        _refuse_unknown_owners(checked, ("leg.modal",))


def test_check_tells_of_an_inertia_that_no_body_has(folder):
    (folder / "odd.yaml").write_text("bodies:\n  arm: {mass: 1.0, inertia: [0.4, 0.4, 0.8938]}\n"
                                     "joints:\n  j: {type: revolute, between: [ground, arm]}\n")
    result = call("check", "odd.yaml")
    assert result.exit_code == 0 and "no faults" in result.output
    assert "bodies.arm.inertia: found the principal moments (0.4, 0.4, 0.8938)" in result.output.splitlines()[-1]


@pytest.mark.parametrize("arguments, said", [
    (["nothing"], "no file 'nothing' and no bundled model"),
    (["double-pendulm"], "Did you mean 'double-pendulum'?"),
    (["double-pendulum", "--start", "elbow"], "expected JOINT=VALUE"),
    (["double-pendulum", "--start", "elbow=two"], "expected JOINT=VALUE"),
    (["double-pendulum", "--plot", "elbw.angle"], "Did you mean 'elbow'?"),
    (["double-pendulum", "--plot", "angle"], "no channel 'angle'"),
    (["double-pendulum", "--until", "1e9", "--plot", "elbow.angel"], "Did you mean 'angle'?"),
    (["short.yaml"], "give --until SECONDS"),
    (["out.h5"], "found a results file, expected a model"),
    (["broken.py"], "the script failed: ZeroDivisionError"),
    (["empty.py"], "expected a Model or a function model()"),
])
def test_faults_of_run_exit_with_2(out, folder, arguments, said):
    (folder / "short.yaml").write_text("bodies: {rod: {mass: 1.0}}\n"
                                       "joints: {j: {type: free, between: [ground, rod]}}\n")
    (folder / "broken.py").write_text("1 / 0\n")
    (folder / "empty.py").write_text("")
    result = call("run", *arguments)
    assert result.exit_code == 2 and result.stdout == "" and said in result.stderr


@pytest.mark.parametrize("arguments", [["run"], ["run", "x", "--until", "soon"], ["fly"], ["show", "a", "--rows", "1"]])
def test_usage_faults_exit_with_2(arguments):
    assert call(*arguments).exit_code == 2


def test_a_fault_with_json_is_json_too(folder):
    result = call("run", "nothing", "--json")
    assert result.exit_code == 2 and json.loads(result.stdout)["error"] == "ModelError"


def test_a_script_can_give_the_model(folder):
    (folder / "swing.py").write_text("from dalembert.model.model import Model\n"
                                     "def model():\n    return Model('swing')\n")
    assert "swing: no faults" in call("check", "swing.py").output


def test_show_summary(out):
    text = call("show", out).output
    assert "by hand: 31 frames, t = 0 to 3 s (recursive, dopri5)" in text
    assert "crank axis.angle" in text and "start of 'socket' moved" in text and "channels: arm.acceleration" in text


def test_show_values(out):
    lines = call("show", out, "crank axis.angle", "arm.tip.position", "--rows", "4").output.splitlines()
    head = next(line for line in lines if "t [s]" in line)
    assert "crank axis.angle [rad]" in head and "arm.tip.position z [m]" in head
    rows = [line.split() for line in lines if line.split() and line.split()[0] in ("0", "1", "2", "3", "largest")]
    assert [row[:2] for row in rows] == [["0", "0"], ["1", "2"], ["2", "4"], ["3", "6"], ["largest", "6"]]


def test_show_csv_has_all_digits(out):
    lines = call("show", out, "arm.tip.position", "--csv").output.splitlines()
    assert lines[0] == "t,arm.tip.position x,arm.tip.position y,arm.tip.position z" and len(lines) == 32
    assert np.array_equal([float(x) for x in lines[9].split(",")[1:]], load(out)["arm.tip.position"][8])


def test_show_json_and_plot(out):
    result = call("show", out, "crank axis.angle", "--json", "--plot")
    data = json.loads(result.stdout)
    assert data["values"]["crank axis.angle"] == load(out)["crank axis.angle"].tolist()
    assert data["files"] == [str(out.with_suffix(".png"))] and out.with_suffix(".png").stat().st_size > 0


@pytest.mark.parametrize("arguments, said", [
    (["nothing.h5"], "no such file"), (["out.h5", "crank axis.angel"], "Did you mean 'angle'?"),
    (["out.h5", "--csv", "--json"], "exclude each other"),
])
def test_show_faults(out, arguments, said):
    result = call("show", *arguments)
    assert result.exit_code == 2 and said in result.stderr and "Traceback" not in result.output


def test_show_tells_that_a_run_did_not_end(folder):
    synthetic.results(status="ConvergenceError: no progress").save(folder / "out.h5")
    assert "status: ConvergenceError: no progress" in call("show", "out.h5").output


def test_cite(out):
    assert "@article{DormandPrince1980," in call("cite", out).output


def test_convert_yaml_to_yaml(folder):
    result = call("convert", "double-pendulum", "copy.yaml")
    assert result.exit_code == 0 and "wrote copy.yaml" in result.output
    assert "lower  (elbow: revolute)" in call("check", "copy.yaml").output


def test_convert_urdf_to_yaml(folder):
    (folder / "arm.urdf").write_text(
        '<robot name="arm"><link name="base"/><link name="link"><inertial><mass value="2"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="hinge" type="continuous"><parent link="base"/><child link="link"/>'
        '<axis xyz="0 0 1"/></joint></robot>')
    assert call("convert", "arm.urdf", "arm.yaml").exit_code == 0
    assert "hinge: revolute" in call("check", "arm.yaml").output


def test_convert_refuses_other_targets(folder):
    result = call("convert", "double-pendulum", "copy.urdf")
    assert result.exit_code == 2 and "expected .yaml" in result.stderr
