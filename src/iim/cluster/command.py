"""Learn from or fill a folder of Parquet files of any size, on all cores or a Dask cluster.

fit learns from FOLDER with the method iim; the model is a folder, too. apply
fills the files of FOLDER into a new folder, with a model from fit, or with a
model of any method from `iim fit`. The output appears when it is complete.
Text, dates and ids pass through; known numbers do not change.

Examples
--------
  iim cluster fit years -o model
  iim cluster fit years -o model --exact --workers 4 --memory-limit 4GB
  iim cluster apply years --model model -o filled
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iim.cli import options as shared
from iim.cli.commands.apply import check_model_alone
from iim.cli.exits import WrongOptions, check_place
from iim.cli.imputer_choice import DEFAULT_METHOD, ImputerChoice
from iim.cli.results import about, filling_result, tell_filling, tell_passed
from iim.cli.session import Session
from iim.cli.tables import choice_from
from iim.present.numbers import count

if TYPE_CHECKING:
    from distributed import Client

    from iim.cluster.parquet import FolderTable, ParquetFolder
    from iim.cluster.parted.model import PartedModel
    from iim.imputers import Imputer

PART_ROWS = 250_000
"""Default of ``--part-rows``, as in ``iim.cluster.dask.fit``."""


def add_options(parser: ArgumentParser) -> None:
    """Add the options."""
    topic = parser.add_argument_group("Arguments")
    topic.add_argument("what", metavar="fit|apply", choices=("fit", "apply"), help="Learn or fill.")
    topic.add_argument("path", metavar="FOLDER", help="The folder of Parquet files to read.")
    topic = parser.add_argument_group("Result")
    topic.add_argument(*("-o", "--output"), metavar="OUT", required=True, help="The folder to write.")
    shared.add_model(shared.add_method(parser))
    shared.add_columns(parser)
    topic = parser.add_argument_group("Workers")
    topic.add_argument(
        "--workers",
        metavar="N",
        type=shared.whole(1),
        help="Processes on this machine (default: one for each core).",
    )
    topic.add_argument(
        "--memory-limit",
        metavar="SIZE",
        help="Memory of each process, such as 2GB (default: an equal share of all).",
    )
    topic.add_argument(
        "--address",
        metavar="ADDRESS",
        help="Use an existing cluster, such as tcp://host:8786, which sees the same files.",
    )
    topic.add_argument(
        "--exact", action="store_true", help="fit: bit-identical to learning on one machine; slower."
    )
    topic.add_argument(
        "--part-rows",
        metavar="N",
        type=shared.whole(1),
        help=f"fit: approximate rows that a worker learns from at once (default: {PART_ROWS}).",
    )


def run(session: Session, options: Namespace) -> None:
    """Learn, or fill."""
    from iim.cluster._packages import require  # noqa: PLC0415 (help answers at once)

    require(("pandas", "dask.dataframe", "distributed"), adapter="iim cluster", extra="dask")
    for place in (options.path, options.output, options.model or ""):
        if "://" in place:
            raise WrongOptions(
                f"a folder on a disk is needed; received {place!r}. For object stores, use "
                "iim.cluster.dask.fit and impute in Python"
            )
    if options.jobs is not None:
        raise WrongOptions("--jobs: not allowed, workers have one thread each. Use --workers")
    if options.address is not None and (options.workers or options.memory_limit):
        raise WrongOptions(
            "--address: the cluster has its own workers. Leave out --workers and --memory-limit"
        )
    (_fit if options.what == "fit" else _apply)(session, options)


def _fit(session: Session, options: Namespace) -> None:
    from iim.cluster.dask import fit  # noqa: PLC0415
    from iim.cluster.parquet import open_folder, table_to_learn, without_ids  # noqa: PLC0415

    chosen, choice = ImputerChoice(options), choice_from(options)
    if options.model is not None:
        raise WrongOptions("--model: only for apply. Name the model that fit writes with --output")
    if chosen.key != DEFAULT_METHOD:
        raise WrongOptions(
            f"--method: iim is needed; received {chosen.key!r}. Learn from a sample instead (iim fit FILE "
            f"-m {chosen.key} --sample N -o MODEL), and fill the folder with that model"
        )
    _check_output(options, former_model=True)
    folder = open_folder(options.path)
    table = table_to_learn(folder, choice)
    with _workers(session, options) as client:
        with _phase(session, "reading", folder):
            table = without_ids(table, wanted=choice.columns is not None)
        imputer: Any = chosen.make(table.filled, table.markers, session.tell).set_params(progress=False)
        with _phase(session, "learning", folder) as tell:
            model = fit(
                table.dask(),
                imputer,
                options.output,
                halo="proven" if options.exact else "sampled",
                part_rows=options.part_rows or PART_ROWS,
                progress=tell,
            )
        found = _facts(options, table, client)
    found |= {"columns": table.filled, "losses": _say_losses(session, model)}
    found["n_bytes"] = sum(path.stat().st_size for path in Path(options.output).rglob("*.iim"))
    session.say(
        f"Learned from {count(table.n_rows, 'row')} and {count(len(table.filled), 'column')} of "
        f"{table.name} ({count(found['n_files'], 'file')}) with iim in {session.took()}: {options.output} "
        f"({found['n_bytes'] / 1000:.0f} kB)."
    )
    tell_passed(session, "Not used", table.passed)
    if session.json:
        session.show_json(found | about(session, imputer))


def _apply(session: Session, options: Namespace) -> None:
    from iim.cluster.dask import impute  # noqa: PLC0415
    from iim.cluster.parquet import open_folder, table_to_fill, write_tasks  # noqa: PLC0415
    from iim.cluster.parted.storage import folder_at, made_whole  # noqa: PLC0415
    from iim.cluster.workers import run_all  # noqa: PLC0415

    if options.model is None:
        raise WrongOptions("--model MODEL is needed. Learn one first, with `iim cluster fit` or `iim fit`")
    check_model_alone(options)
    if options.exact or options.part_rows:
        raise WrongOptions(
            "--exact and --part-rows: not allowed with --model, which fixes them. Give them to fit"
        )
    choice = choice_from(options)
    _check_output(options)
    folder = open_folder(options.path)
    with session.phase("reading"):
        model, imputer = _open_model(options.model)
        table = table_to_fill(folder, choice, imputer)
    with made_whole(folder_at(options.output, None)) as making, _workers(session, options) as client:
        with _phase(session, "filling", folder) as tell:
            tasks = write_tasks(table, impute(table.dask(), model), Path(making.url))
            counts = run_all(client, tasks, tell)
        found = _facts(options, table, client)
    n_filled = {name: sum(each.get(name, 0) for each in counts) for name in table.filled}
    tell_filling(session, table, n_filled, by=options.model)
    if session.json:
        result = filling_result(session, table, n_filled, imputer, output=options.output)
        session.show_json(found | result)


def _check_output(options: Namespace, *, former_model: bool = False) -> None:
    """Refuse paths where the folder cannot be written, before anything is read."""
    from iim.cluster.parted.model import is_model  # noqa: PLC0415
    from iim.cluster.parted.storage import folder_at  # noqa: PLC0415

    output = options.output
    inner, outer = (Path(os.path.realpath(place)) for place in (output, options.path))
    if inner.is_relative_to(outer):
        raise WrongOptions(f"--output: a folder outside the input is needed; received {output!r}")
    target = folder_at(output, None)
    if not target.is_empty() and not (former_model and inner.is_dir() and is_model(target)):
        allowed = "a new or empty folder" + (", or one with an older model," if former_model else "")
        raise WrongOptions(f"--output: {allowed} is needed; {output!r} exists and is not empty")
    check_place(output, for_folder=True)


def _open_model(path: str) -> tuple[PartedModel | str, Imputer]:
    """The model for the workers, and the imputer with the columns."""
    from iim.cluster.dask import open_model  # noqa: PLC0415
    from iim.imputers.files import load  # noqa: PLC0415

    if Path(path).is_dir():
        model = open_model(path)
        return model, model.front
    return path, load(path)


def _workers(session: Session, options: Namespace) -> AbstractContextManager[Client]:
    from iim.cluster.workers import local_workers, workers_at  # noqa: PLC0415

    session.announce("starting")
    if options.address is not None:
        return workers_at(options.address)
    return local_workers(options.workers, options.memory_limit)


@contextmanager
def _phase(session: Session, name: str, folder: ParquetFolder) -> Iterator[Callable[[float], None]]:
    """A phase of work on the workers."""
    from iim.cluster.workers import explained  # noqa: PLC0415

    with session.computing(name) as tell, explained([piece.path for piece in folder.pieces]):
        yield tell


def _say_losses(session: Session, model: PartedModel) -> list[dict[str, Any]]:
    losses = model.losses()
    unsure = max((one["share_unproven"] for one in losses), default=0.0)
    if unsure or any(one["n_short_lists"] for one in losses):
        session.notice(
            f"Up to {unsure:.1%} of the models may have learned from rows that are not quite the nearest. "
            "--exact prevents that."
        )
    return losses


def _facts(options: Namespace, table: FolderTable, client: Client) -> dict[str, Any]:
    return {
        "input": options.path,
        "output": options.output,
        "n_rows": table.n_rows,
        "passed": table.passed,
        "n_files": len(table.folder.schemas),
        "n_partitions": len(table.folder.pieces),
        "n_workers": len(client.nthreads()),
    }
