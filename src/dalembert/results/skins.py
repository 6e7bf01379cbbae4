"""Flexible parts as surfaces that deform: tubes along beams, the outer faces of plates and solids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.checked import BeamSegment
from ..model.flexible import Circle, Rectangle, Section, Tube
from ..model.model import Model
from ..scenes.scene import Colour, Skin
from .recovery import Recovery
from .shape import Shape, shapes_of

if TYPE_CHECKING:
    from .results import Results

LEAST = 0.005
"""Half of the least thickness that is drawn, relative to the mechanism."""


def skins_of(results: Results, model: Model, frames: np.ndarray, size: float, colours: Sequence[Colour]) -> list[Skin]:
    """Return the surfaces of all flexible parts at some frames."""
    recovery = Recovery(results, model).at([int(frame) for frame in frames])
    found = []
    for k, part in enumerate(recovery.parts):
        shapes = shapes_of(recovery, part) if len(frames) else []
        if shapes and shapes[0].cells:
            source = next(flexible.source for flexible in recovery.model.flexibles if flexible.part == part)
            section = source.section if isinstance(source, BeamSegment) else None
            found.append(_skin(shapes, _outline(section, LEAST * size), colours[k % len(colours)]))
    return found


def _outline(section: Any, least: float) -> np.ndarray:
    """Return the outline of a section in its y-z plane, (n, 2) [m], at least so far from the middle."""
    if isinstance(section, (Circle, Tube)) or section is None:
        radius = least if section is None else (section.diameter if isinstance(section, Circle) else section.outer) / 2
        angle = 2 * np.pi * np.arange(10) / 10
        return max(radius, least) * np.column_stack([np.cos(angle), np.sin(angle)])
    half = (least, least)
    if isinstance(section, Rectangle):
        half = section.height / 2, section.width / 2
    elif isinstance(section, Section) and section.extent is not None:
        half = float(section.extent[0]), float(section.extent[1])
    return np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)]) * np.maximum(half, least)


def _skin(shapes: list[Shape], outline: np.ndarray, colour: Colour) -> Skin:
    nodes = np.stack([shape.nodes for shape in shapes])
    axes = np.stack([shape.axes for shape in shapes])
    vertices, faces, first = [nodes], [], nodes.shape[1]
    for cells in shapes[0].cells:
        if cells.shape[1] > 2:
            faces += [cells[:, [0, k, k + 1]] for k in range(1, cells.shape[1] - 1)]
            continue
        rings = nodes[:, cells, None] + np.einsum("fmnab,sb->fmnsa", axes[:, cells][..., 1:], outline)
        sides, count = len(outline), len(cells)
        vertices.append(rings.reshape(len(nodes), -1, 3))
        a = first + 2 * sides * np.arange(count)[:, None] + np.arange(sides)
        b = first + 2 * sides * np.arange(count)[:, None] + (np.arange(sides) + 1) % sides
        quads = np.stack([a, b, b + sides, a + sides], axis=-1).reshape(-1, 4)
        faces += [quads[:, [0, 1, 2]], quads[:, [0, 2, 3]], *_caps(cells, first, sides)]
        first += 2 * sides * count
    return Skin(shapes[0].name, np.concatenate(vertices, axis=1), np.vstack(faces), colour)


def _caps(cells: np.ndarray, first: int, sides: int) -> list[np.ndarray]:
    """Return triangles that close the first and the last ring."""
    fan = np.column_stack([np.zeros(sides - 2, int), np.arange(1, sides - 1), np.arange(2, sides)])
    last = first + sides * (2 * len(cells) - 1)
    return [first + fan[:, ::-1], last + fan]
