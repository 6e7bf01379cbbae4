"""Robots that nobody here wrote: read from packages that ship them, and compared with Pinocchio (URDF) and MuJoCo (MJCF).

    pip install ".[peers,robots]"
    python benchmarks/foreign_models.py             # one line per model and the totals
    python benchmarks/foreign_models.py --check     # exits with 1 if fewer than 60 agree, or one that is read does not
    python benchmarks/foreign_models.py --only hand # models with this word in their path
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parent))

from foreign_mujoco import MujocoPeer
from foreign_peers import AGREED, NotComparableError, compare
from foreign_pinocchio import PinocchioPeer
from foreign_sources import Source, mjcf_sources, urdf_sources

import dalembert as dal

REQUIRED = 60
"""Models that must read and agree."""
MOTION, MOST_RATES = 0.05, 30
"""Length of motions [s], and the largest models they are compared for."""


def read(source: Source, floating: bool = False):
    """Return our model of a file and the peer's; None if the peer cannot read the file, or nothing moves in it."""
    if source.path.suffix == ".urdf":
        model = dal.read_urdf(source.path, floating_base=floating)
        return PinocchioPeer(source.path, model, floating)
    return MujocoPeer(source.path, dal.read_mjcf(source.path))


def is_model(source: Source) -> bool:
    """Whether the peer reads the file and something moves in it; packages ship parts of models, too."""
    try:
        if source.path.suffix == ".urdf":
            import pinocchio

            return pinocchio.buildModelFromUrdf(str(source.path)).nv > 0
        import mujoco

        return mujoco.MjModel.from_xml_path(str(source.path)).nv > 0
    except ValueError:
        return False


def examine(source: Source, motion: bool = True) -> dict:
    """Return one line of the table."""
    row = {"model": source.label, "rates": 0, "loops": 0, "accelerations": None, "loads": None, "motion": None, "said": "",
           "refused": False}
    begin = perf_counter()
    try:
        peers = [read(source)]
        if source.path.suffix == ".urdf" and peers[0].m.nv <= 60:
            peers.append(read(source, floating=True))
        for peer in peers:
            seconds = MOTION if motion and peer.m.nv <= MOST_RATES and not peer.loops else 0.0
            found = compare(peer, motion=seconds)
            row["rates"], row["loops"] = max(row["rates"], found.rates), found.loops
            for key in ("accelerations", "loads", "motion"):
                value = getattr(found, key)
                row[key] = value if row[key] is None else max(row[key], value if value is not None else 0.0)
            row["said"] = row["said"] or ("; ".join(found.notes[-1:]) if found.worst() > AGREED else "")
    except dal.MultibodyError as error:
        row["said"] = f"{type(error).__name__}: {' '.join(str(error).split())}"
        row["refused"] = isinstance(error, (dal.FormatError, dal.ModelError))
    except NotComparableError as error:
        row["said"], row["refused"] = str(error), True
    except AssertionError as error:
        row["said"] = str(error)
    row["agrees"] = row["accelerations"] is not None and not row["said"]
    row["seconds"] = perf_counter() - begin
    return row


def shown(row: dict) -> str:
    """Return a row as text."""
    found = [row[key] for key in ("accelerations", "loads", "motion")]
    numbers = " ".join("        -" if value is None else f"{value:9.1e}" for value in found)
    mark = "ok " if row["agrees"] else "-  " if row["refused"] else "BAD"
    return (f"{mark} {row['model']:<75.75} {row['rates']:4d} {row['loops']:4d} {numbers} {row['seconds']:6.1f}  "
            f"{row['said'][:300]}")


def main(arguments=None) -> int:
    """Compare all models."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="exit with 1 where a requirement is not met")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--smoke", action="store_true", help="three models of each package, no motions")
    parser.add_argument("--only", default="", help="word that the path of a model contains")
    options = parser.parse_args(arguments)
    sources = [s for s in (*urdf_sources(), *mjcf_sources()) if options.only in str(s.path)]
    if options.smoke:
        firsts = {package: [s for s in sources if s.package == package][:3] for package in {s.package for s in sources}}
        sources = [s for chosen in firsts.values() for s in chosen]
    if not options.json:
        print(f"{'model':<79} rates loops   acceler.     loads    motion    [s]")
    rows = []
    for source in sources:
        if is_model(source):
            rows.append(examine(source, motion=not options.smoke))
            if not options.json:
                print(shown(rows[-1]), flush=True)
    refused, agreed = (sum(row[key] for row in rows) for key in ("refused", "agrees"))
    read_ = len(rows) - refused
    if options.json:
        print(json.dumps({"rows": rows, "read": read_, "agree": agreed, "refused": refused}))
    else:
        print(f"{len(rows)} models: {read_} read, {agreed} of them agree to {AGREED:g}; {refused} cannot be, by what they say "
              "of themselves (marked -)")
    return int(options.check and (agreed < read_ or (agreed < REQUIRED and not options.smoke)))


if __name__ == "__main__":
    raise SystemExit(main())
