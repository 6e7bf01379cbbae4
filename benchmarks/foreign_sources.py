"""Robots that public Python packages ship in their wheels: where they lie.

Nothing is downloaded and no file of theirs belongs to this repository.  A package need not be importable (its own
dependencies may be missing): only its folder is looked up.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

URDF_PACKAGES = ("example-robot-data", "rtb-data", "robosuite")
MJCF_PACKAGES = ("dm-control", "gymnasium", "gymnasium-robotics", "metaworld", "robosuite", "safety-gymnasium")


@dataclass(frozen=True)
class Source:
    """A model file of a package."""

    package: str
    path: Path
    name: str

    @property
    def label(self) -> str:
        return f"{self.package}: {self.name}"


def files(package: str, suffix: str) -> list[Source]:
    """Return the files of an installed package that end so, sorted; none if it is not installed."""
    try:
        found = distribution(package).files or []
    except PackageNotFoundError:
        return []
    paths = sorted({Path(file.locate()).resolve() for file in found if str(file).endswith(suffix)})
    return [Source(package, path, "/".join(path.parts[-3:])) for path in paths if path.is_file()]


def urdf_sources() -> list[Source]:
    return [source for package in URDF_PACKAGES for source in files(package, ".urdf")]


def mjcf_sources() -> list[Source]:
    return [source for package in MJCF_PACKAGES for source in files(package, ".xml")]
