"""`dalembert run`: simulate a model, print a table, write a plot and a results file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ..errors import ChannelError, FormatError, HoldsResults, ModelError, MultibodyError, StorageError, near_names
from .failures import ReportedInterrupt, reported
from .output import as_json, print_summary
from .painter import Painter
from .progress import compile_notes, run_bar
from .sources import find_model, read_model

if TYPE_CHECKING:
    from ..model.checked import CheckedModel
    from ..model.model import Model
    from ..results.results import Results
    from ..scenes.scene import Scene

SYSTEM = ("energy", "momentum", "constraints")


@click.command()
@click.argument("model")
@click.option("--until", type=float, help="End of the simulated time [s].")
@click.option("--step", type=float, help="Fixed step [s]; without it the step follows the accuracy.")
@click.option("--accuracy", type=float, help="Local error per step that is tolerated.  [default: 1e-6]")
@click.option("--formulation", help="How the equations are set up.  [default: auto]")
@click.option("--integrator", help="How time is stepped.  [default: auto]")
@click.option("--record", type=float, help="Spacing of the recorded frames [s].")
@click.option("--start", "starts", multiple=True, metavar="JOINT=VALUE",
              help="Start of a joint, such as elbow=0.2, 'elbow=20 deg' or ball=1,0,0,0.")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path),
              help="Results: everything (.h5), or a table of the main channels (.csv).")
@click.option("--force", is_flag=True, help="Let -o and the picture replace files that hold something else.")
@click.option("--plot", "plots", multiple=True, metavar="CHANNEL", help="What to draw; may be repeated.")
@click.option("--no-plot", is_flag=True, help="Write no picture.")
@click.option("--json", "json_wanted", is_flag=True, help="Print one JSON object and nothing else.")
@click.option("-q", "--quiet", is_flag=True, help="Print only what went wrong.")
def run(model: str, starts: tuple[str, ...], output: Path | None, force: bool, plots: tuple[str, ...], no_plot: bool,
        json_wanted: bool, quiet: bool, **options: Any) -> None:
    """Simulate MODEL: a model text (.yaml), a robot (.urdf), a script (.py), or a name from `dalembert examples`.

    Options that are not given come from the `run` block of the model.
    """
    with reported(json_wanted), nullcontext() if no_plot else Painter() as painter:
        from ..model.check import check

        path = find_model(model)
        target = _target(path, output, force)
        described = read_model(path)
        checked = check(described)
        settings = _settings(checked, options, starts)
        _refuse_unknown_owners(checked, plots)
        silent = quiet or json_wanted
        with compile_notes(silent), run_bar(silent) as bar, _kept(target):
            from ..simulate.run import run as simulate

            if plots:
                _refuse_unknown_quantities(described, settings, plots)
            results, stopped = _until_stopped(simulate, described, progress=bar, store=target.store, overwrite=force,
                                              **settings)
        file = target.finish(results, stopped is not None)
        if painter is not None and len(results):
            _draw(painter, results, plots, Path(f"{path.stem}.png"), force)
        _report(results, plots, file, painter, json_wanted, quiet)
        if stopped is not None:
            raise ReportedInterrupt(f"{stopped}; the frames up to there are in {file}") from stopped


def _draw(painter: Painter, results: Results, plots: tuple[str, ...], picture: Path, force: bool) -> None:
    """Hand the picture to the painter, unless its file holds something else."""
    from ..results.figure import picture_of
    from ..results.targets import holds_picture

    if picture.is_file() and picture.stat().st_size and not (force or holds_picture(picture)):
        click.echo(f"{picture}: exists and is not a picture of a run, and is not replaced; allow it with --force", err=True)
        return
    painter.begin(picture_of(results, plots, _poses(results)), picture)


def _poses(results: Results) -> Scene | None:
    """Return the mechanism at a few frames; None where it cannot be drawn, which is no reason to lose the curves."""
    from ..results.animation import poses_of
    from ..results.scene import scene_of

    try:
        scene = scene_of(results, frames=poses_of(results))
    except MultibodyError as error:
        click.echo(f"the mechanism is not drawn: {error}", err=True)
        return None
    for note in scene.notes:
        click.echo(note, err=True)
    return scene


def _until_stopped(simulate: Callable[..., Results], *model: Model, **settings: Any
                   ) -> tuple[Results, KeyboardInterrupt | None]:
    """Run; if the user stops it, return the results so far and the interrupt."""
    try:
        return simulate(*model, **settings), None
    except KeyboardInterrupt as stop:
        if not isinstance(stop, HoldsResults):
            raise
        return stop.results, stop


class _Target(NamedTuple):
    """Where the frames go: `store` while the run goes on, `table` after it, `rescue` if it is stopped and has neither."""

    store: Path | None
    table: Path | None
    rescue: Path

    def finish(self, results: Results, stopped: bool) -> Path | None:
        """Write what remains to be written and return the file that holds the results."""
        wanted = self.table or (self.rescue if stopped and self.store is None else None)
        return self.store if wanted is None else results.save(wanted, overwrite=True)


def _target(model: Path, output: Path | None, force: bool) -> _Target:
    """Refuse an output that would destroy something."""
    rescue = Path(f"{model.stem}-stopped.h5")
    if output is None:
        return _Target(None, None, rescue)
    from ..results.targets import CSV, check_target

    check_target(output, force)
    if output.exists() and output.samefile(model):
        raise FormatError(f"{output}: is the model itself; give the results another name")
    return _Target(None, output, rescue) if output.suffix.lower() == CSV else _Target(output, None, rescue)


@contextmanager
def _kept(target: _Target) -> Iterator[None]:
    """Say where the frames of a run are that fails."""
    try:
        yield
    except StorageError:  # says it itself
        raise
    except MultibodyError as error:
        if isinstance(error, HoldsResults) and len(error.results) and (target.store or target.table):
            file = target.finish(error.results, False)
            click.echo(f"the frames up to t = {error.results.t[-1]:g} s are in {file}", err=True)
        raise


def _settings(model: CheckedModel, options: dict[str, Any], starts: tuple[str, ...]) -> dict[str, Any]:
    """Return the arguments of the run: the model's own, overridden by the command line."""
    given = {key: value for key, value in options.items() if value is not None}
    settings = {**model.run, **given}
    if "until" not in settings:
        raise ModelError("no end of the simulated time: give --until SECONDS, or 'run: {until: 5.0}' in the model")
    if starts:
        settings["start"] = dict(_start(text) for text in starts)
    return settings


def _start(text: str) -> tuple[str, Any]:
    """Split ``joint=value``; several values are separated by commas, those with units stay texts for the check."""
    from ..model.units import parse_quantity

    joint, equals, values = text.partition("=")
    numbers = [(parse_quantity(value), value.strip()) for value in values.split(",")]
    if not equals or not joint.strip() or any(quantity is None for quantity, _ in numbers):
        raise ModelError(f"--start {text!r}: expected JOINT=VALUE, such as elbow=0.2, 'elbow=20 deg' or ball=1,0,0,0")
    found = [said if quantity is None or quantity[1] else quantity[0] for quantity, said in numbers]
    return joint.strip(), found[0] if len(found) == 1 else found


def _refuse_unknown_owners(model: CheckedModel, channels: tuple[str, ...]) -> None:
    """Report before a long run that a channel to be drawn belongs to no part of the model."""
    groups = (model.bodies, model.flexibles, model.joints, model.constraints, model.forces, model.motions)
    parts = [part.name for group in groups for part in group] + [flexible.part for flexible in model.flexibles]
    points = [f"{body.name}.{point}" for body in model.bodies for point in body.points if point]
    known = {*parts, *points, *SYSTEM}
    for channel in channels:
        owner = channel.rpartition(".")[0]
        if owner not in known:
            raise ChannelError(f"no channel {channel!r}.{near_names(owner or channel, sorted(known))}")


def _refuse_unknown_quantities(model: Model, settings: dict[str, Any], channels: tuple[str, ...]) -> None:
    """Report before a long run that a part has no such quantity."""
    from ..results.channels import find, owners
    from ..start.initial import prepare_start

    begin = prepare_start(model, settings.get("start"), settings.get("start_rate"), settings.get("formulation", "auto"))
    known = owners(begin.shown.layout)
    for channel in channels:
        find(known, channel)


def _report(results: Results, channels: tuple[str, ...], output: Path | None, painter: Painter | None, json_wanted: bool,
            quiet: bool) -> None:
    """Print the outcome, and wait for the picture."""
    from ..results.tabular import overview, summary

    rows = summary(results, list(dict.fromkeys([*overview(results), *channels])))
    if not (json_wanted or quiet):
        print_summary(results, rows)
        click.echo(str(results.stats))
        for message in results.messages:
            click.echo(message)
    files = [output] if output is not None else []
    if painter is not None and painter.wanted is not None:
        files.append(painter.finish())
    if json_wanted:
        click.echo(json.dumps(as_json(results, rows, files), ensure_ascii=False))
        return
    if not quiet:
        for file in files:
            click.echo(f"wrote {file}")
