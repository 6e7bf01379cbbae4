"""The public words of DESIGN section 3, as far as they are built, and what importing the package costs."""

import pkgutil
import subprocess
import sys

import pytest

import dalembert as dal

CONTRACT = {
    "model": {"Model", "Body", "Frame", "deg", "inertia_rod", "inertia_box", "inertia_cylinder", "inertia_sphere"},
    "joints": {"Fixed", "Revolute", "Prismatic", "Cylindrical", "Universal", "Spherical", "Planar", "Screw", "Free"},
    "constraints": {"Distance", "PointOnLine", "PointOnPlane", "Gear", "CoordinateCoupling", "Rolling"},
    "forces": {"Force", "Torque", "SpringDamper", "JointSpring", "Bushing", "Motor", "Motion"},
    "flexible": {"Beam", "FlexibleBody", "Material", "Circle", "Tube", "Rectangle", "Section", "flex"},
    "contacts": {"Contact", "Sphere", "Capsule", "Cylinder", "Box", "Plane", "Mesh", "UnilateralContact", "contact_all"},
    "laws": {"table", "sine", "law"},
    "control": {"Controller"},
    "live": {"live"},
    "analyses": {"run", "assemble", "static", "linearize", "eigenmodes", "inverse_dynamics", "compare", "cite",
                 "formulations"},
    "files": {"read", "write", "load"},
    "errors": {"MultibodyError", "ModelError", "TopologyError", "AssemblyError", "SingularError", "ConvergenceError",
               "FormatError", "CouplingError", "StudyError"},
    "methods": {"GeneralizedAlpha", "Global", "SemiRecursive"},
}
BEYOND = {"Bdf", "ChannelError", "ContactGroup", "Dynamics", "Event", "HHT", "Interface", "LinearAcceleration", "Modular",
          "Moreau", "Newmark", "Point", "Radau", "Recursive", "Results", "StorageError", "Trapezoidal", "__version__", "bias",
          "body_from_mesh", "check", "dumps",
          "evaluate_state", "from_text", "guess", "jacobian", "kinematics", "loads", "mass_matrix", "neglect",
          "neglected", "perturbation_report", "ramp", "read_mjcf", "read_urdf", "rotation_between", "show", "to_text"}
"""Public names that DESIGN does not list; a name leaves or enters here on purpose only."""
HEAVY = ("numba", "llvmlite", "scipy", "matplotlib", "h5py", "xarray", "pandas", "rich", "click", "trimesh", "ruamel")


@pytest.mark.parametrize("group", CONTRACT)
def test_the_contract_is_kept(group):
    missing = CONTRACT[group] - set(dal.__all__)
    assert not missing


def test_nothing_else_is_public():
    assert set(dal.__all__) == set().union(*CONTRACT.values()) | BEYOND


def test_every_public_name_can_be_had_and_is_documented():
    for name in dal.__all__:
        value = getattr(dal, name)
        if callable(value):
            assert (value.__doc__ or "").strip(), name
    assert set(dir(dal)) == set(dal.__all__)


@pytest.mark.parametrize("package, modules", [(dal, {"flex"}), (dal.flex, set())])
def test_no_file_has_the_name_of_a_function(package, modules):
    """Importing such a file would put the module in the function's place."""
    files = {entry.name for entry in pkgutil.iter_modules(package.__path__)}
    assert files & set(package.__all__) == modules


def pendulum():
    return dal.Model("pendulum").add(dal.Body("rod", mass=1.0, com=(0, 0, -0.5)),
                                     dal.Revolute("pivot", "ground", "rod", axis=(0, 1, 0), start=0.3))


def test_former_names_warn_and_do_what_they_did():
    m = pendulum()
    with pytest.warns(DeprecationWarning, match="from_text"):
        assert dal.to_text(dal.loads(dal.to_text(m))) == dal.to_text(m)
    with pytest.warns(DeprecationWarning, match="to_text"):
        assert dal.dumps(m) == dal.to_text(m)
    with pytest.warns(DeprecationWarning, match="neglected"):
        assert dal.neglect(m, ["rod"], mass=False)["rod"] == dal.neglected(m, ["rod"], mass=False)["rod"]
    with pytest.warns(DeprecationWarning, match="assemble"):
        one = dal.evaluate_state(m, {"pivot": 0.7}, {"pivot": 2.0}, 0.5)
    other = dal.assemble(m, 0.5, start={"pivot": 0.7}, start_rate={"pivot": 2.0})
    assert one["pivot.acceleration"][0] == other["pivot.acceleration"][0] and one.t[0] == other.t[0] == 0.5


@pytest.mark.filterwarnings("error")
def test_assembling_is_no_former_name():
    assert dal.assemble(pendulum())["pivot.angle"][0] == 0.3


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="Revolut"):
        dal.Revolut  # noqa: B018


@pytest.mark.parametrize("error", sorted(CONTRACT["errors"]))
def test_all_errors_are_multibody_errors(error):
    assert issubclass(getattr(dal, error), dal.MultibodyError)


def loaded_by(code):
    """Return which heavy packages a fresh interpreter has loaded after some code."""
    script = f"{code}\nimport sys\nprint(*sorted({{m.partition('.')[0] for m in sys.modules}} & set({HEAVY!r})))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_the_package_loads_nothing_heavy():
    assert loaded_by("import dalembert") == set()


def test_building_and_checking_a_model_compiles_nothing():
    code = ("import dalembert as dal\n"
            "m = dal.Model('m').add(dal.Body('b', mass=1.0), dal.Revolute('j', 'ground', 'b'), dal.Motor('k', 'j'))\n"
            "dal.check(m)")
    assert not loaded_by(code) & {"numba", "llvmlite", "scipy", "matplotlib", "h5py"}
