"""Runs many random cases of invariance: python tests/invariance/many.py --count 2000 [--seed S] [--first N]."""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "acceptance")]

from invariance.drawn import case, judge  # noqa: E402


def main(argv=None) -> int:
    """Print the cases that are wrong or refused, and how many are what; return 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0, help="the cases are numbered from seed * 1000000")
    parser.add_argument("--first", type=int, default=0, help="number of the first case, to run one again")
    asked = parser.parse_args(argv)
    warnings.simplefilter("ignore")
    counts, begun = Counter(right=0, wrong=0, refused=0), time.time()
    for number in range(asked.first, asked.first + asked.count):
        seed, drawn = asked.seed * 1_000_000 + number, None
        try:
            drawn = case(seed)
            told = judge(drawn)
            kind = "wrong" if told else "right"
        except Exception as error:  # anything else than an error of ours is a defect, too
            kind, told = "refused", f"{type(error).__name__}: {error}"
        counts[kind] += 1
        if told:
            print(f"{kind}: {drawn or f'seed {seed}'}: {told}", flush=True)
    print(", ".join(f"{counts[kind]} {kind}" for kind in ("right", "wrong", "refused")),
          f"of {asked.count} cases in {time.time() - begun:.0f} s")
    return int(counts["right"] != asked.count)


if __name__ == "__main__":
    sys.exit(main())
