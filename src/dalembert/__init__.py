"""dalembert: dynamics of machines made of rigid and flexible bodies.

SI units, radians.  ``import dalembert as dal``; every public name is in ``dal.__all__`` and is loaded on first use.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "model.model": ["Model"],
    "model.parts": ["Body", "Frame", "Motion"],
    "model.joints": [
        "Cylindrical", "Fixed", "Free", "Planar", "Prismatic", "Revolute", "Screw", "Spherical", "Universal",
    ],
    "model.forces": [
        "Bushing", "Force", "JointSpring", "Motor", "SpringDamper", "Torque",
    ],
    "model.constraints": [
        "CoordinateCoupling", "Distance", "Gear", "PointOnLine", "PointOnPlane", "Rolling",
    ],
    "model.contacts": ["Box", "Capsule", "Contact", "ContactGroup", "Cylinder", "Mesh", "Plane", "Point", "Sphere"],
    "model.contact_all": ["contact_all"],
    "model.control": ["Controller", "Event"],
    "model.flexible": ["Circle", "Material", "Rectangle", "Section", "Tube"],
    "model.flexible_parts": ["Beam", "FlexibleBody"],
    "model.guesses": ["guess"],
    "model.rotation": ["rotation_between"],
    "model.laws": ["law", "ramp", "sine", "table"],
    "model.units": ["deg"],
    "model.inertia": ["inertia_box", "inertia_cylinder", "inertia_rod", "inertia_sphere"],
    "model.check": ["check"],
    "model.text": ["dumps", "from_text", "loads", "read", "to_text", "write"],
    "formats.mjcf": ["read_mjcf"],
    "formats.urdf": ["read_urdf"],
    "formats.mesh": ["body_from_mesh"],
    "simulate.run": ["run"],
    "simulate.live": ["live"],
    "simulate.unilateral": ["UnilateralContact"],
    "start.frame": ["assemble", "evaluate_state"],
    "start.viewing": ["show"],
    "analyses.static": ["static"],
    "analyses.linear": ["eigenmodes", "linearize"],
    "analyses.inverse": ["inverse_dynamics"],
    "analyses.at_state": ["bias", "jacobian", "mass_matrix"],
    "analyses.dynamics": ["Dynamics"],
    "analyses.kinematics": ["kinematics"],
    "analyses.perturbation": ["neglect", "neglected", "perturbation_report"],
    "start.formulations": ["Global", "Interface", "Modular", "Recursive", "SemiRecursive"],
    "start.fitting": ["formulations"],
    "simulate.integrators": ["Bdf", "HHT", "GeneralizedAlpha", "LinearAcceleration", "Moreau", "Newmark", "Radau",
                             "Trapezoidal"],
    "results.results": ["Results"],
    "results.store": ["load"],
    "results.compare": ["compare"],
    "results.cite": ["cite"],
    "errors": ["AssemblyError", "ChannelError", "ConvergenceError", "CouplingError", "FormatError", "ModelError",
               "MultibodyError", "SingularError", "StorageError", "StudyError", "TopologyError"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
__all__ = [*sorted(_HOME_OF), "__version__", "flex"]


def __getattr__(name: str) -> Any:
    if name == "flex":
        return import_module(".flex", __name__)
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME_OF[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
