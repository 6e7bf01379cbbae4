"""Laws that jump: found where they hold up a run, or move a drive without a way between two places."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..codes import DriveCode, LawCode
from ..kernels.tree_state import eval_drives
from ..results.stats import Stats
from ..system.pack import Packed

MANY_TRIES = 1500
"""Tried steps over which rejections are counted."""
MOST_REJECTED = 0.5
"""Share of them from which on laws are looked at: an error control that follows smooth laws rejects far fewer."""
CLOSE = 1e-5
"""Distance of the arguments of two calls, relative to their sizes, at which values of a continuous law are neighbours."""
APART = 0.2
"""Difference of two such values, relative to all that were returned lately, that is called a jump."""
NEIGHBOURS = 4
"""Steps of the numerical derivative around a jump within which rates mislead."""
HALVINGS = 50
SMALLEST_JUMP = 1e-6
"""Of a drive, relative to the range of its values; the change that is left after all halvings if the law is continuous is
a rounding of it."""


class RejectionWatch:
    """Counts tried and rejected steps of a run, and looks for the law that jumps where half of many were rejected."""

    def __init__(self):
        self.tried = self.rejected = 0
        self.told = False

    def look(self, packed: Packed, stats: Stats, t: float) -> list[str]:
        """Return messages on laws that jump, once; `stats` are those of the run up to time t [s]."""
        steps, rejected = stats.steps, stats.rejected
        tried = steps + rejected - self.tried
        if self.told or tried < MANY_TRIES:
            return []
        share = (rejected - self.rejected) / tried
        self.tried, self.rejected = steps + rejected, rejected
        jumps = jumping_laws(packed.law_calls) if share > MOST_REJECTED else []
        self.told = bool(jumps)
        return [f"{owner}: its law jumps, by {jump:.3g} near t = {t:.6g} s, and {share:.0%} of the steps there had to be "
                "repeated smaller. Make it continuous, such as tanh(v/v0) instead of sign(v), with a small speed v0"
                for owner, jump in jumps]


def jumping_laws(calls: Mapping[str, list]) -> list[tuple[str, float]]:
    """Return (owner, jump) of the laws that returned far different values for all but the same arguments."""
    found = []
    for owner, lately in calls.items():
        if len(lately) < 3:
            continue
        x, y = np.array([arguments for arguments, _ in lately]), np.array([value for _, value in lately])
        sizes = np.maximum(1.0, np.max(abs(x), axis=0))
        near = np.max(abs(x[:, None] - x) / sizes, axis=2) <= CLOSE
        jump = float(np.max(np.where(near, abs(y[:, None] - y), 0.0)))
        if np.isfinite(jump) and jump > APART * np.max(abs(y)):
            found.append((owner, jump))
    return found


def jumping_drives(packed: Packed, frames: Mapping[str, np.ndarray]) -> list[str]:
    """Return messages on drives whose function jumps, looked for where frames differ most from what their rates say."""
    system, t, messages = packed.system, frames["t"], []
    names = {m.v: m for m in packed.layout.motions}
    for drive in system.drive:
        law = system.law[drive["law"]]
        if len(t) < 2 or law["code"] != LawCode.FUNCTION:
            continue
        in_position = drive["code"] == DriveCode.POSITION
        value, rate = (frames["q"][:, drive["q"]], frames["qd"][:, drive["v"]]) if in_position else (
            frames["qd"][:, drive["v"]], frames["qdd"][:, drive["v"]])
        off = abs(np.diff(value) - np.diff(t) * 0.5 * (rate[1:] + rate[:-1]))
        i = int(np.argmax(off))
        wide = NEIGHBOURS * float(law["dt"])
        at, jump = _halve(packed, drive, in_position, max(0.0, t[i] - wide), min(float(t[-1]), t[i + 1] + wide))
        if jump > SMALLEST_JUMP * max(np.ptp(value), jump):
            motion, what = names[int(drive["v"])], "position" if in_position else "speed"
            messages.append(f"motions.{motion.name}: its {what} jumps by {jump:.3g} at t = {at:.6g} s; joint "
                            f"{motion.joint!r} follows at once, and loads near that time have no meaning. Make it "
                            "continuous, such as with dal.ramp")
    return messages


def _halve(packed: Packed, drive, in_position: bool, begin: float, end: float) -> tuple[float, float]:
    """Follow the larger change of a drive into ever smaller intervals; returns where it ends and what is left of it."""
    q, qd = np.zeros(packed.layout.n_q), np.zeros(packed.layout.n_v)
    qdd = np.zeros_like(qd)

    def at(t: float) -> float:
        eval_drives(packed.system, t, q, qd, qdd)
        return float(q[drive["q"]] if in_position else qd[drive["v"]])

    low, high = at(begin), at(end)
    for _ in range(HALVINGS):
        middle = 0.5 * (begin + end)
        if not begin < middle < end:
            break
        value = at(middle)
        if abs(value - low) >= abs(high - value):
            end, high = middle, value
        else:
            begin, low = middle, value
    return end, abs(high - low)
