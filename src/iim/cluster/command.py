"""Learn from a folder of Parquet files of any size, or fill one: on all cores, or on a cluster.

fit learns from FOLDER, and the model is a folder, too. apply fills the files
of FOLDER into a new folder, which appears when it is complete; in an object
store, where that cannot be, a file _SUCCESS is written last.

Examples
--------
  iim cluster fit years -o model
  iim cluster apply years --model model -o filled
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iim.cli import options as shared
from iim.cli.commands.apply import check_model_alone
from iim.cli.exits import CannotWrite, WrongOptions, check_place
from iim.cli.imputer_choice import DEFAULT_METHOD, ImputerChoice
from iim.cli.results import about, filling_result, tell_filling, tell_passed
from iim.cli.session import Session
from iim.cli.tables import STREAM, choice_from
from iim.cli.values import whole
from iim.present.numbers import count

if TYPE_CHECKING:
    from iim.cluster.folders import FolderTable, Found
    from iim.cluster.folders.clusters import Cluster
    from iim.cluster.parted.model import PartedModel
    from iim.cluster.parted.storage import Folder
    from iim.files import Choice
    from iim.imputers import Imputer

PART_ROWS = 250_000
"""Rows of a part, unless ``--part-rows`` says otherwise; as ``iim.cluster.dask.fit`` has it."""

COMPLETE = "_SUCCESS"
"""A file that is written last where a folder cannot take its place in one step."""

INNER = "made"
"""The folder in which a model is made, within one that is removed if that fails."""


def add_options(parser: ArgumentParser) -> None:
    """What the command takes."""
    topic = parser.add_argument_group("Arguments")
    topic.add_argument("what", choices=("fit", "apply"), help="What to do.")
    topic.add_argument(
        "path",
        metavar="FOLDER",
        help="The folder to read, or an address such as s3://bucket/folder.",
    )
    topic = parser.add_argument_group("Result")
    topic.add_argument(*("-o", "--output"), metavar="OUT", required=True, help="The folder to write.")
    shared.add_model(shared.add_method(parser))
    shared.add_columns(parser)
    topic = parser.add_argument_group("Workers")
    topic.add_argument(
        "--workers",
        metavar="N",
        type=whole(1),
        help="Processes on this machine (default: one for each core).",
    )
    topic.add_argument(
        "--memory-limit",
        metavar="SIZE",
        help="Memory of each of them, such as 2GB (default: an equal share of all).",
    )
    topic.add_argument(
        "--address",
        metavar="ADDRESS",
        help="Work on a cluster that is there, such as tcp://host:8786, which sees the same files.",
    )
    topic.add_argument(
        "--exact", action="store_true", help="fit: learn what one machine would, to the last bit; slower."
    )
    topic.add_argument(
        "--part-rows",
        metavar="N",
        type=whole(1),
        help=f"fit: rows that a worker learns from at once, about (default: {PART_ROWS}).",
    )


def run(session: Session, options: Namespace) -> None:
    """Learn, or fill."""
    if options.address is not None and (options.workers or options.memory_limit):
        raise WrongOptions(
            "--address: a cluster has its workers and their memory already. Leave out --workers and "
            "--memory-limit"
        )
    if options.path == STREAM:
        raise WrongOptions("FOLDER: a folder of Parquet files is needed; received -, standard input")
    if options.jobs is not None:
        raise WrongOptions("--jobs: workers have a thread each. Use --workers")
    (learn_from_folder if options.what == "fit" else fill_folder)(session, options)


def learn_from_folder(session: Session, options: Namespace) -> None:
    """Learn from a folder into another one, and tell of it."""
    path, output, choice = options.path, options.output, choice_from(options)
    if options.model is not None:
        raise WrongOptions("--model: it is for apply")
    chosen = ImputerChoice(options)
    if chosen.key != DEFAULT_METHOD:
        raise WrongOptions(
            f"--method: iim is needed; received {chosen.key!r}. Learn it from a sample "
            f"(iim fit FILE -m {chosen.key} --sample N -o MODEL), and fill the folder with that"
        )
    files = _find(path)
    target = _check_folder(output, path, former_model=True)
    with _in_the_making(target, output) as making:
        with _started(session, options) as cluster:
            table = _describe_to_learn(session, path, files, choice)
            imputer = chosen.make(table.frame, table.markers, session.tell).set_params(progress=False)
            losses = _learn(session, table, imputer, making, options)
        _move_up(making)
    n_bytes = _n_bytes(target)
    session.say(
        f"Learned from {count(table.n_rows, 'row')} and {count(len(table.frame), 'column')} of {path} "
        f"({count(table.n_files, 'file')}) with {chosen.key} in {session.took()}: {output} "
        f"({n_bytes / 1000:.0f} kB)."
    )
    tell_passed(session, "Not learned from", table.passed)
    if session.json:
        result = {
            "input": path,
            "output": output,
            "n_rows": table.n_rows,
            "n_rows_learned_from": table.n_rows,
            "columns": table.frame,
            "passed": table.passed,
            "n_bytes": n_bytes,
            "losses": losses,
        }
        session.show_json({**result, **_about_engine(table, cluster), **about(session, imputer)})


def fill_folder(session: Session, options: Namespace) -> None:
    """Fill a folder into another one, and tell of it."""
    if options.model is None:
        raise WrongOptions("--model MODEL: it is needed. Learn a model first, with fit")
    check_model_alone(options)
    path, output, choice = options.path, options.output, choice_from(options)
    files = _find(path)
    target = _check_folder(output, path)
    opened = _open_model(session, options.model)
    with _in_the_making(target, output) as making:
        with _started(session, options) as cluster:
            table = _describe_to_fill(session, path, files, choice, opened.front)
            n_filled = _fill(session, cluster, table, opened, making)
        if making.local() is None:
            making.write(COMPLETE, b"")
    tell_filling(session, table, n_filled, by=options.model)
    if session.json:
        result = filling_result(session, table, n_filled, opened.front, output=output)
        session.show_json({**result, **_about_engine(table, cluster)})


def _require_dask() -> None:
    from iim.cluster._packages import require  # noqa: PLC0415 (help answers at once)

    require(("pandas", "dask.dataframe", "distributed"), adapter="iim cluster", extra="dask")


def _find(path: str) -> Sequence[Found]:
    _require_dask()
    from iim.cluster.folders import find_files  # noqa: PLC0415

    return find_files(path)


def _check_folder(output: str, path: str, *, former_model: bool = False) -> Folder:
    """Refuse places where a folder cannot go, before anything is read."""
    from iim.cluster.parted.model import is_model  # noqa: PLC0415
    from iim.cluster.parted.storage import folder_at  # noqa: PLC0415

    if output == STREAM:
        raise WrongOptions("--output: a folder is needed; received -, standard output")
    target, source = folder_at(output, None), folder_at(path, None)
    inner, outer = (_real(folder) for folder in (target, source))
    if inner == outer or inner.startswith(f"{outer}/"):
        raise WrongOptions(
            f"--output: another folder than the input, and none in it, is needed; received {output!r}"
        )
    is_replaced = former_model and target.local() is not None and not target.is_empty() and is_model(target)
    if not target.is_empty() and not is_replaced:
        allowed = (
            "a new or empty folder, or one with a former model,"
            if former_model
            else "a new or empty folder"
        )
        raise WrongOptions(f"--output: {allowed} is needed; there is something in {output!r} already")
    if target.local() is not None:
        check_place(output, for_folder=True)
    return target


def _real(folder: Folder) -> str:
    place = folder.local()
    return folder.url.rstrip("/") if place is None else os.path.realpath(place)


@contextmanager
def _in_the_making(target: Folder, output: str) -> Iterator[Folder]:
    """A folder that takes the place of the target at the end; errors of writing it tell of the output."""
    from iim.cluster.parted.storage import made_whole  # noqa: PLC0415
    from iim.files.output import NotWritten  # noqa: PLC0415

    making = None
    try:
        with made_whole(target) as making:
            yield making
    except OSError as error:
        is_its_own = making is None or str(error.filename).startswith(making.url)
        if is_its_own or isinstance(error, NotWritten):
            raise CannotWrite(output, error) from error
        raise


def _started(session: Session, engine: Namespace) -> AbstractContextManager[Cluster]:
    from iim.cluster.folders.clusters import cluster_at, local_cluster  # noqa: PLC0415

    session.announce("starting")
    if engine.address is not None:
        return cluster_at(engine.address)
    return local_cluster(engine.workers, engine.memory_limit)


def _describe_to_learn(session: Session, path: str, files: Sequence[Found], choice: Choice) -> FolderTable:
    from iim.cluster.folders import describe_to_learn  # noqa: PLC0415
    from iim.cluster.folders.clusters import telling  # noqa: PLC0415

    with session.phase("reading"), telling(()):
        return _told(session, describe_to_learn(path, files, choice))


def _describe_to_fill(
    session: Session, path: str, files: Sequence[Found], choice: Choice, imputer: Imputer
) -> FolderTable:
    from iim.cluster.folders import describe_to_fill  # noqa: PLC0415
    from iim.cluster.folders.clusters import telling  # noqa: PLC0415
    from iim.files.streaming import columns_of, markers_of  # noqa: PLC0415

    columns, markers = columns_of(imputer), markers_of(imputer)
    with session.phase("reading"), telling(()):
        return _told(session, describe_to_fill(path, files, choice, columns=columns, markers=markers))


def _told(session: Session, table: FolderTable) -> FolderTable:
    for notice in table.notices:
        session.notice(notice)
    return table


def _learn(
    session: Session, table: FolderTable, imputer: Any, making: Folder, engine: Namespace
) -> list[dict[str, Any]]:
    """Learn into a folder; what may be missing."""
    from iim.cluster.dask import fit  # noqa: PLC0415
    from iim.cluster.folders import as_dask  # noqa: PLC0415
    from iim.cluster.folders.clusters import telling  # noqa: PLC0415
    from iim.compile import tell_of_compiling  # noqa: PLC0415

    paths = [piece.path for piece in table.pieces]
    # What a worker still writes when another one has failed goes there, too, and is removed with it.
    place = making if making.local() is None else making.below(INNER)
    with session.phase("learning") as tell, tell_of_compiling(session.say), telling(paths):
        model = fit(
            as_dask(table),
            imputer,
            place.url,
            halo="proven" if engine.exact else "sampled",
            part_rows=engine.part_rows or PART_ROWS,
            progress=tell,
        )
    losses = model.losses()
    unsure = max((one["share_unproven"] for one in losses), default=0.0)
    if unsure or any(one["n_short_lists"] for one in losses):
        session.notice(
            f"Of up to {unsure:.1%} of the rows it is not sure that their models are learned from, and "
            "judged on, exactly the nearest others; --exact makes it so."
        )
    return losses


def _move_up(making: Folder) -> None:
    place = making.local()
    if place is not None:
        for each in (place / INNER).iterdir():
            each.rename(place / each.name)
        (place / INNER).rmdir()


@dataclass(frozen=True)
class _Opened:
    """A model: what is known of its columns, and what is given to workers."""

    front: Imputer
    given: PartedModel | str


def _open_model(session: Session, path: str) -> _Opened:
    from iim.cluster.dask import open_model  # noqa: PLC0415
    from iim.imputers.files import load  # noqa: PLC0415

    with session.phase("reading"):
        if Path(path).is_dir() or "://" in path:
            model = open_model(path)
            return _Opened(model.front, model)
        return _Opened(load(path), path)


def _fill(
    session: Session, cluster: Cluster, table: FolderTable, opened: _Opened, making: Folder
) -> Mapping[str, int]:
    """Fill all files; how many cells, by column."""
    from iim.cluster.dask import impute  # noqa: PLC0415
    from iim.cluster.folders import as_dask, write_pieces  # noqa: PLC0415
    from iim.cluster.folders.clusters import telling  # noqa: PLC0415
    from iim.compile import tell_of_compiling  # noqa: PLC0415

    paths = [piece.path for piece in table.pieces]
    with session.phase("filling") as tell, tell_of_compiling(session.say), telling(paths):
        filled = impute(as_dask(table), opened.given)
        counts = cluster.run(write_pieces(table, filled, making), tell)
    return {name: sum(each.get(name, 0) for each in counts) for name in table.filled}


def _n_bytes(folder: Folder) -> int:
    from iim.cluster.folders.finding import file_system  # noqa: PLC0415

    system, path = file_system(folder.url)
    return int(system.du(path))


def _about_engine(table: FolderTable, cluster: Cluster) -> dict[str, Any]:
    return {
        "engine": "dask",
        "n_workers": cluster.n_workers,
        "n_files": table.n_files,
        "n_partitions": len(table.pieces),
    }
