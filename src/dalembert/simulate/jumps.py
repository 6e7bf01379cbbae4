"""Laws that jump: found where they hold up a run, or move a drive without a way between two places."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..codes import DriveCode, LawCode
from ..kernels.evaluate import eval_accelerations
from ..kernels.linked_work import make_linked_work
from ..kernels.tree.state import eval_drives
from ..system.pack import Packed
from ..system.pack_laws import REMEMBERED_CALLS, Overheard, overheard
from .loop import Loop

MANY_TRIES = 1500
"""Tried steps over which rejections are counted."""
MOST_REJECTED = 0.5
"""Share of them from which on laws are looked at: an error control that follows smooth laws rejects far fewer."""
APART = 0.2
"""Difference of values that is left when arguments meet, relative to all that were returned lately, that is called a jump."""
AROUND = 1e-3
"""Distance from the present state, relative to sizes of at least one, within which compiled laws are looked at."""
NEIGHBOURS = 4
"""Steps of the numerical derivative around a jump within which rates mislead."""
HALVINGS = 50
SMALLEST_JUMP = 1e-6
"""Of a drive, relative to the range of its values; the change that is left after all halvings if the law is continuous is
a rounding of it."""


class RejectionWatch:
    """Counts tried and rejected steps of a run, and looks for the law that jumps where it may be what holds the run up.

    Three signs tell that one may: half of many steps were rejected; stability held many back; a law was seen to jump twice,
    many steps apart, as one does that a state is kept at.
    """

    def __init__(self) -> None:
        self.tried = self.rejected = 0
        self.reported = False
        self.seen: set[str] = set()

    def look(self, packed: Packed, loop: Loop) -> list[str]:
        """Return messages on laws that jump, once; `loop` is the run so far."""
        stats = loop.stats(0.0)
        steps, rejected = stats.steps, stats.rejected
        tried = steps + rejected - self.tried
        if self.reported or tried < MANY_TRIES:
            return []
        share = (rejected - self.rejected) / tried
        self.tried, self.rejected = steps + rejected, rejected
        if share > MOST_REJECTED:
            jumps = jumping_laws(packed.law_calls) + jumping_compiled_laws(packed, loop)
            return self._report(jumps, loop.t, f"{share:.0%} of the steps there had to be repeated smaller")
        jumps = jumping_laws(packed.law_calls)
        again = [jump for jump in jumps if jump[0] in self.seen]
        self.seen = {owner for owner, _ in jumps}
        return self._report(again, loop.t, f"the last {tried} steps stayed there")

    def look_where_stiff(self, packed: Packed, loop: Loop) -> list[str]:
        """Likewise where stability has held many steps back."""
        jumps = [] if self.reported else jumping_laws(packed.law_calls) + jumping_compiled_laws(packed, loop)
        return self._report(jumps, loop.t, "steps there are as short as if the model were stiff")

    def _report(self, jumps: list[tuple[str, float]], t: float, sign: str) -> list[str]:
        self.reported = self.reported or bool(jumps)
        return [f"{owner}: its law jumps, by {jump:.3g} near t = {t:.6g} s, and {sign}. Make it continuous, such as "
                "tanh(v/v0) instead of sign(v), with a small speed v0" for owner, jump in jumps]


def jumping_compiled_laws(packed: Packed, loop: Loop) -> list[tuple[str, float]]:
    """Return (owner, jump) of compiled laws, which leave no trace of their calls, that jump near the present state."""
    if not packed.compiled_laws:
        return []
    law, calls, _keep = overheard(packed.system.law, packed.compiled_laws)
    system = packed.system._replace(law=law)
    work, tau, random = make_linked_work(system), np.zeros(packed.layout.n_v), np.random.default_rng(0)
    for _ in range(REMEMBERED_CALLS):
        q, qd = loop.tree_state()
        for state in (q, qd):
            state += AROUND * np.maximum(1.0, abs(state)) * random.uniform(-1, 1, len(state))
        eval_accelerations(system, loop.t, q, qd, np.zeros_like(qd), tau, work)
    return jumping_laws(calls)


def _left_between(heard: Overheard) -> float:
    """Return the difference of the least and the largest value of a law that is left when their arguments meet."""
    least, largest = (pick(heard.calls, key=lambda call: call[1]) for pick in (min, max))
    (low, y_low), (high, y_high) = ((np.array(arguments), value) for arguments, value in (least, largest))
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        y = heard.law(*middle)
        if abs(y - y_low) >= abs(y_high - y):
            high, y_high = middle, y
        else:
            low, y_low = middle, y
    return abs(y_high - y_low)


def jumping_laws(calls: Mapping[str, Overheard]) -> list[tuple[str, float]]:
    """Return (owner, jump) of the laws whose last values stay far apart however close their arguments come."""
    found = [(owner, _left_between(heard), max(abs(y) for _, y in heard.calls))
             for owner, heard in calls.items() if heard.calls]
    return [(owner, jump) for owner, jump, size in found if np.isfinite(jump) and jump > APART * size]


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


def _halve(packed: Packed, drive: np.void, in_position: bool, begin: float, end: float) -> tuple[float, float]:
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
