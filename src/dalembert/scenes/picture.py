"""Pictures of a scene, drawn without a screen."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from . import raster
from .camera import Camera, camera_for
from .scene import Colour, Link, Scene
from .surfaces import Surface, corner_normals, face_normals, frame_along

if TYPE_CHECKING:
    from PIL.Image import Image

BACKGROUND = (np.array([0.93, 0.95, 0.97]), np.array([1.0, 1.0, 1.0]))
"""At the top and at the bottom."""
FINE = 2
"""Pixels that are drawn for a pixel of the picture, in each direction: smooth edges."""
TEXT = (60, 64, 70)


class Painter:
    """Draws frames of a scene.

    Parameters
    ----------
    scene : Scene
    width, height : int
        Of the pictures [pixels].
    camera : Camera, optional
        By default one that sees the whole motion.
    """

    def __init__(self, scene: Scene, width: int, height: int, camera: Camera | None = None):
        self.scene, self.width, self.height = scene, width, height
        self.camera = camera_for(scene) if camera is None else camera
        self._behind: tuple[bytes, np.ndarray] | None = None

    @cached_property
    def _solids(self) -> list[tuple[int, np.ndarray, np.ndarray, Colour]]:
        """Row of its body, corners (m, 3, 3) and normals (m, 3, 3) of every solid, in the body's axes."""
        return [(solid.body, solid.surface.vertices[solid.surface.faces], corner_normals(solid.surface), solid.colour)
                for solid in self.scene.solids]

    def pixels(self, frames: list[int]) -> np.ndarray:
        """Return the picture (height, width, 3) of one frame, or of several above each other, the earlier ones paler."""
        image = self._background(frames[-1]).copy()
        for k, frame in enumerate(frames):
            layer = image.copy()
            self._mechanism(layer, frame)
            strength = 1.0 if k == len(frames) - 1 else 0.25 + 0.3 * k / max(1, len(frames) - 1)
            image += strength * (layer - image)
        small = image.reshape(self.height, FINE, self.width, FINE, 3).mean(axis=(1, 3))
        return np.asarray(np.rint(255 * small).astype(np.uint8))

    def image(self, frame: int) -> Image:
        """Return the picture of a frame with its title and time."""
        from PIL import Image, ImageDraw

        picture = Image.fromarray(self.pixels([frame]))
        said = f"t = {self.scene.t[frame]:.3f} s"
        font = _font(max(11, self.height // 32))
        pen = ImageDraw.Draw(picture)
        edge = self.height // 40
        pen.text((edge, edge), self.scene.title, fill=TEXT, font=font)
        pen.text((self.width - edge - pen.textlength(said, font=font), edge), said, fill=TEXT, font=font)
        return picture

    def _background(self, frame: int) -> np.ndarray:
        """Return colours and lines behind a frame; a camera that stands still sees the same behind all of them."""
        key = self.camera.target[frame].tobytes()
        if self._behind is None or self._behind[0] != key:
            self._behind = key, self._lines(frame)
        return self._behind[1]

    def _lines(self, frame: int) -> np.ndarray:
        height, width = self.height * FINE, self.width * FINE
        part = np.linspace(0.0, 1.0, height)[:, None, None]
        image = np.broadcast_to((1 - part) * BACKGROUND[0] + part * BACKGROUND[1], (height, width, 3)).astype("f4", order="C")
        corners, colours = [np.zeros((0, 3, 3))], [np.zeros((0, 3))]
        for line in self.scene.lines:
            ends = (line.points[::2], line.points[1::2]) if line.pairs else (line.points[:-1], line.points[1:])
            seen = [self.camera.seen(end, frame, width, height) for end in ends]
            fine = np.isfinite(seen[0]).all(axis=1) & np.isfinite(seen[1]).all(axis=1)
            corners.append(raster.ribbons(seen[0][fine], seen[1][fine], FINE * (1.0 if line.pairs else 1.6)))
            colours.append(np.tile(line.colour, (len(corners[-1]), 1)))
        flat = np.vstack(corners)
        raster.draw(image, flat, np.zeros_like(flat), np.vstack(colours), np.zeros(len(flat), bool))
        return image

    def _mechanism(self, image: np.ndarray, frame: int) -> None:
        """Draw all bodies, links and skins of a frame into an image."""
        parts = [*self._rigid(frame), *self._stretched(frame), *self._deforming(frame)]
        if not parts:
            return
        corners = np.concatenate([part[0] for part in parts])
        normals = np.concatenate([part[1] for part in parts])
        colours = np.concatenate([np.tile(part[2], (len(part[0]), 1)) for part in parts])
        seen = self.camera.seen(corners, frame, image.shape[1], image.shape[0])
        fine = np.isfinite(seen).all(axis=(1, 2))
        raster.draw(image, seen[fine], normals[fine] @ self.camera.axes, colours[fine], np.ones(int(fine.sum()), bool))

    def _rigid(self, frame: int) -> list[tuple[np.ndarray, np.ndarray, Colour]]:
        turns, places = self.scene.rotations(frame), self.scene.position[frame]
        return [(corners @ turns[row].T + places[row], normals @ turns[row].T, colour)
                for row, corners, normals, colour in self._solids]

    def _stretched(self, frame: int) -> list[tuple[np.ndarray, np.ndarray, Colour]]:
        found = []
        for link in self.scene.links:
            surface = at_length(link, frame)
            if surface is not None:
                found.append((surface.vertices[surface.faces], corner_normals(surface), link.colour))
        return found

    def _deforming(self, frame: int) -> list[tuple[np.ndarray, np.ndarray, Colour]]:
        found = []
        for skin in self.scene.skins:
            corners = skin.vertices[frame][skin.faces]
            found.append((corners, np.repeat(face_normals(corners)[:, None], 3, axis=1), skin.colour))
        return found


def poses(scene: Scene, size: tuple[int, int]) -> np.ndarray:
    """Return the picture (height, width, 3) of all frames of a scene in one, the last one in full colours."""
    return Painter(scene, *size, camera=camera_for(scene, follow=False)).pixels(list(range(len(scene))))


def at_length(link: Link, frame: int) -> Surface | None:
    """Return the surface of a link at a frame, in the world; None where it has no length."""
    along = link.end[frame] - link.start[frame]
    length = float(np.linalg.norm(along))
    if not length > 0.0:
        return None
    z = link.vertices[:, 2] * length + link.vertices[:, 3]
    local = np.column_stack([link.vertices[:, :2], z])
    return Surface(local, link.faces).placed(link.start[frame], frame_along(along))


def _font(size: int):  # type: ignore[no-untyped-def]  # a font of Pillow's
    """Return the font that matplotlib brings along."""
    from matplotlib import get_data_path
    from PIL import ImageFont

    return ImageFont.truetype(f"{get_data_path()}/fonts/ttf/DejaVuSans.ttf", size)
