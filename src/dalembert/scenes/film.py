"""Films of a scene: GIF by Pillow, which matplotlib brings along, and MP4 by the program ffmpeg where it is installed."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

import numpy as np

from ..errors import FormatError, unwritable
from .picture import Painter
from .scene import Scene

if TYPE_CHECKING:
    from PIL.Image import Image

SHORTEST, LONGEST = 3.0, 12.0
"""Of films whose speed is not given [s]: shorter motions are slowed down, longer ones are sped up."""


def film_frames(t: np.ndarray, fps: float, speed: float | None) -> np.ndarray:
    """Return the numbers of the recorded frames that a film shows, at equal times.

    Parameters
    ----------
    t : (nf,) float
        Times of the frames [s].
    fps : float
        Pictures a second.
    speed : float or None
        Simulated seconds a second of the film; None for one at which it takes neither too short nor too long.
    """
    if len(t) < 2:
        return np.arange(len(t))
    seconds = float(t[-1] - t[0]) / (film_speed(t) if speed is None else speed)
    times = np.linspace(t[0], t[-1], max(2, round(seconds * fps) + 1))
    after = np.clip(np.searchsorted(t, times), 1, len(t) - 1)
    return np.where(times - t[after - 1] <= t[after] - times, after - 1, after)


def film_speed(t: np.ndarray) -> float:
    """Return the simulated seconds a second of a film that takes neither too short nor too long."""
    span = float(t[-1] - t[0]) if len(t) else 0.0
    return span / float(np.clip(span, SHORTEST, LONGEST)) or 1.0


def write_film(scene: Scene, path: Path, fps: float, width: int, height: int) -> None:
    """Write all frames of a scene as a film, .gif or .mp4."""
    painter = Painter(scene, width, height)
    images = (painter.image(frame) for frame in range(len(scene)))
    (_write_gif if path.suffix.lower() == ".gif" else _write_mp4)(images, path, fps)


def _write_gif(images: Iterator[Image], path: Path, fps: float) -> None:
    """Write pictures of 255 colours, those of the first one, which go on for ever."""
    from PIL.Image import Dither

    first = next(images).quantize(255)
    rest = (image.quantize(palette=first, dither=Dither.NONE) for image in images)
    try:
        first.save(path, "GIF", save_all=True, append_images=rest, duration=1000.0 / fps, loop=0, optimize=False)
    except OSError as error:
        raise unwritable(path, error) from error


def _write_mp4(images: Iterator[Image], path: Path, fps: float) -> None:
    first = next(images)
    command = [ffmpeg(path), "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s",
               f"{first.width}x{first.height}", "-r", f"{fps:g}", "-i", "-", "-an", "-pix_fmt", "yuv420p", "-movflags",
               "+faststart", "-f", "mp4", str(path.absolute())]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stderr is not None  # both are pipes
        try:
            process.stdin.write(first.tobytes())
            for image in images:
                process.stdin.write(image.tobytes())
            process.stdin.close()
        except OSError:  # it has ended and says why
            pass
        said = process.stderr.read().decode(errors="replace").strip()
    if process.returncode != 0:
        raise FormatError(f"{path}: ffmpeg could not write the film: {said or 'it gave no reason'}")


def ffmpeg(path: Path) -> str:
    """Return the program that matplotlib's setting ``animation.ffmpeg_path`` names; FormatError if it is missing."""
    from matplotlib import rcParams

    name = str(rcParams["animation.ffmpeg_path"])
    found = which(name)
    if found is None:
        raise FormatError(f"{path}: a film in .mp4 needs the program ffmpeg, and {name!r} is not installed; install it "
                          "(Debian: apt install ffmpeg), or write a .gif or an .html, which need nothing more")
    return found
