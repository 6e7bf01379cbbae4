"""Ctrl-C during a run: the chunk of steps under way is finished and its frames are kept."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any


class Stop:
    """Within its `with` block the first Ctrl-C sets `asked`; a second one interrupts at once.

    Only the main thread of a program can look out for it; elsewhere `asked` stays False.
    """

    def __init__(self) -> None:
        self.asked = False
        self._before: Any = None

    def __enter__(self) -> Stop:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.getsignal(signal.SIGINT)
            if self._before is signal.default_int_handler:
                signal.signal(signal.SIGINT, self._ask)
        return self

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        signal.signal(signal.SIGINT, self._before)

    def __exit__(self, *failure: object) -> None:
        if self._before is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._before)
