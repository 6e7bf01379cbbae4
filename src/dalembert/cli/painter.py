"""A picture drawn by a second process, which loads matplotlib while the first one loads kernels and simulates."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..results.panels import Picture

SERVE = "import sys; sys.path[:] = {path!r}; from dalembert.cli.painter import serve; serve()"


class Painter:
    """Draws one picture; use it in a `with` block.

    Where a second process would have no processor of its own, or does not work, the picture is drawn by this one.
    """

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.wanted: tuple[Picture, Path] | None = None

    def __enter__(self) -> Painter:
        if (os.cpu_count() or 1) > 1:
            try:
                self.process = subprocess.Popen([sys.executable, "-c", SERVE.format(path=sys.path)], stdin=subprocess.PIPE,
                                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            except OSError:
                self.process = None
        return self

    def begin(self, picture: Picture, path: Path) -> None:
        """Hand the picture over."""
        self.wanted = picture, path
        if self.process is not None and self.process.stdin is not None:
            try:
                pickle.dump((picture, path.absolute()), self.process.stdin)
                self.process.stdin.close()
            except OSError:  # it is gone
                self._end()

    def finish(self) -> Path:
        """Wait until the picture is written and return its path."""
        assert self.wanted is not None  # begin comes first
        picture, path = self.wanted
        if self.process is None or self.process.wait() != 0:
            from ..results.panels import write_picture

            write_picture(picture, path)
        self.process = None
        return path

    def __exit__(self, *failure: object) -> None:
        self._end()

    def _end(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


def serve() -> None:
    """Load matplotlib, then draw the picture that comes in."""
    import matplotlib.backends.backend_agg
    import matplotlib.figure  # noqa: F401

    from ..results.panels import write_picture

    write_picture(*pickle.load(sys.stdin.buffer))
