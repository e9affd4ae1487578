"""Fill a file of any size, piece by piece.

With a model that `iim fit` wrote, or after learning from a sample of the
file's own rows. `iim cluster apply` fills folders of Parquet files.

Examples
--------
  iim apply february.csv --model model.iim -o filled.csv
  iim apply years.parquet --sample 20000 -o filled.parquet
  tail -n 100 log.csv | iim apply - --model model.iim --no-header
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from iim.cli import options as shared
from iim.cli.exits import WrongOptions
from iim.cli.imputer_choice import ImputerChoice
from iim.cli.results import filling_result, tell_choices, tell_filling
from iim.cli.session import Session
from iim.cli.tables import STREAM, are_same, check_output, fill_in_pieces, learn, read

if TYPE_CHECKING:
    from iim.imputers import Imputer


def add_options(parser: ArgumentParser) -> None:
    """Add the options."""
    shared.add_input(parser)
    shared.add_output(parser)
    topic = shared.add_method(parser)
    shared.add_model(topic)
    shared.add_sample(topic)
    shared.add_columns(parser)
    shared.add_layout(parser)


def run(session: Session, options: Namespace) -> None:
    """Fill the file with the model, or with one learned from a sample of the file."""
    model = options.model
    if (model is None) == (options.sample is None):
        received = "neither" if model is None else "both"
        raise WrongOptions(f"--model MODEL or --sample N: one of them is needed; received {received}")
    if model is None and options.path == STREAM:
        raise WrongOptions(
            "--sample: a file is needed, since it is read twice; received standard input. Save it to a file"
        )
    if model is not None:
        check_model_alone(options)
    chosen = ImputerChoice(options)
    check_output(session, options)
    if model is not None:
        if are_same(model, options.output):
            raise WrongOptions(
                f"--output: another file than the model is needed; received {model!r} for both"
            )
        imputer = _open_model(session, options)
    else:
        imputer, _ = learn(session, chosen, read(session, options, sample=options.sample))
    done = fill_in_pieces(session, options, imputer)
    tell_filling(session, done, done.n_filled, by=model or chosen.key)
    if model is None:
        tell_choices(session, imputer)
    if session.json:
        session.show_json(filling_result(session, done, done.n_filled, imputer, output=options.output))


def check_model_alone(options: Namespace) -> None:
    """Refuse options of the method beside a model, which fixes them."""
    given = {
        "--method": options.method,
        "--set": options.settings,
        "--paper": options.paper or None,
        "--min": options.min,
        "--max": options.max,
        "--round-integers": options.round_integers,
        "--seed": options.seed,
    }
    for option, value in given.items():
        if value is not None:
            raise WrongOptions(f"{option}: not allowed with --model, which fixes it. Give it to `iim fit`")


def _open_model(session: Session, options: Namespace) -> Imputer:
    from iim.imputers.files import load  # noqa: PLC0415 (help answers at once)

    if Path(options.model).is_dir():
        raise WrongOptions(
            f"--model: a file is needed; {options.model!r} is a folder. A model that `iim cluster fit` "
            "wrote fills folders, with `iim cluster apply`"
        )
    with session.phase("reading"):
        imputer = load(options.model)
    if options.jobs is not None and "n_jobs" in imputer.get_params():
        imputer.set_params(n_jobs=options.jobs)
    return imputer
