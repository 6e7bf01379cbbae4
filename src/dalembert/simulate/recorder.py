"""The frames of a simulation: taken out of the kernels' buffer, completed where directions are massless, and stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import MultibodyError, StorageError
from ..results.events import EventRecord
from ..results.stats import Stats
from ..results.store import Writer
from ..start.evaluate import evaluate_frames, make_results
from ..start.initial import Start
from ..start.massless import complete_frame
from .loop import Loop


class Recorder:
    """Frames so far.

    Attributes
    ----------
    error : MultibodyError or None
        What stopped the recording: a massless direction without an equation, or a disk that is full.
    """

    def __init__(self, begin: Start, loop: Loop, method: dict[str, Any], writer: Writer | None = None):
        self.begin, self.loop, self.method, self.writer = begin, loop, method, writer
        self.blocks: list[dict[str, np.ndarray]] = []
        self.unsettled: MultibodyError | None = None
        self.full: StorageError | None = None

    @property
    def error(self) -> MultibodyError | None:
        """What stopped the recording."""
        return self.full or self.unsettled

    @property
    def writes(self) -> bool:
        """True while frames go to a file."""
        return self.writer is not None

    def collect(self) -> None:
        """Take the recorded frames out of the kernel's buffer, and store them."""
        block = self.loop.take_frames()
        if len(block["t"]):
            self._keep_block(block)

    def _keep_block(self, block: dict[str, np.ndarray]) -> None:
        if self.begin.massless:
            block = self.loop.in_joints(block)
            block = self._settled(block, self.loop.open)
        self.blocks.append(block)
        if self.writer:
            packed, append = self.begin.shown, self.writer.append
            shown = self._shown(block)
            stored = make_results(packed, self.begin.formulation.name, shown, **self.method).frames()
            t, q, qd, qdd = stored.values()
            self._keep(lambda: append(stored, evaluate_frames(packed, t, q, qd, qdd, shown.get("multiplier"),
                                                              shown.get("loads"))))

    def add(self, block: dict[str, np.ndarray]) -> None:
        """Add a frame that was not asked for, unless there is one at its time."""
        last = next((b["t"][-1] for b in reversed(self.blocks) if len(b["t"])), None)
        if last is None or block["t"][0] > last:
            self._keep_block(block)

    def forget_after(self, t: float) -> None:
        """Drop frames later than a time that a simulation went back to within its last step; they are recorded anew."""
        self.collect()
        for k in range(len(self.blocks) - 1, -1, -1):
            late = int(np.sum(self.blocks[k]["t"] > t))
            if not late:
                break
            self.blocks[k] = {name: values[:-late] for name, values in self.blocks[k].items()}
            self.loop.flow.progress[0].next -= late

    def frames(self) -> dict[str, np.ndarray]:
        """Return all frames."""
        blocks = [self._shown(block) for block in self.blocks or [self.loop.take_frames()]]
        return {name: np.concatenate([b[name] for b in blocks]) for name in blocks[0]}

    def _shown(self, block: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return frames in the coordinates of joints, as results have them; a run records those that it is solved in."""
        return self.loop.in_joints(block)

    def close(self, status: str, stats: Stats | None = None, messages: Sequence[str] = (),
              events: Sequence[EventRecord] = ()) -> None:
        """Say in the file how the run ended."""
        if self.writer:
            close = self.writer.close
            self._keep(lambda: close(status, stats or Stats(), messages, events))

    def _keep(self, write: Callable[[], None]) -> None:
        """Write to the store; if that fails, remember why and write no more."""
        try:
            write()
        except StorageError as error:
            self.full, self.writer = error, None

    def _settled(self, block: dict[str, np.ndarray], left: Sequence[int] | np.ndarray) -> dict[str, np.ndarray]:
        """Complete massless directions that the kernels left open, up to the first frame where one has no equation."""
        for f in left:
            t = float(block["t"][f])
            try:
                completed = complete_frame(self.begin.packed, t, block["q"][f], block["qd"][f])
            except MultibodyError as error:
                self.unsettled = error
                return {name: values[:f] for name, values in block.items()}
            for name, value in zip(("q", "qd", "qdd", "multiplier"), completed, strict=True):
                block[name][f] = value
        return block
