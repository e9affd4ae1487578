"""Learn a model from a file, and save it.

`iim cluster fit` learns from folders of Parquet files of any size.

Examples
--------
  iim fit january.csv -o model.iim
  iim fit years.parquet -o model.iim --sample 20000
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from iim.cli import options as shared
from iim.cli.exits import WrongOptions, check_place, writing
from iim.cli.imputer_choice import ImputerChoice
from iim.cli.results import learning_result, tell_choices, tell_learning
from iim.cli.session import Session
from iim.cli.tables import STREAM, are_same, learn, read


def add_options(parser: ArgumentParser) -> None:
    """Add the options."""
    shared.add_input(parser)
    parser.add_argument_group("Result").add_argument(
        *("-o", "--output"), metavar="MODEL", required=True, help="The file to write, such as model.iim."
    )
    shared.add_sample(shared.add_method(parser))
    shared.add_columns(parser)
    shared.add_layout(parser)


def run(session: Session, options: Namespace) -> None:
    """Learn the model, and write it."""
    chosen, output = ImputerChoice(options), options.output
    if output == STREAM:
        raise WrongOptions("--output: a file for the model is needed; received -, standard output")
    if are_same(output, options.path):
        raise WrongOptions(f"--output: another file than the input is needed; received {output!r} for both")
    check_place(output)
    table = read(session, options, sample=options.sample)
    imputer, _ = learn(session, chosen, table)
    with session.phase("writing"), writing(output):
        imputer.save(output)
        n_bytes = Path(output).stat().st_size
    tell_learning(session, table, by=chosen.key, output=output, n_bytes=n_bytes)
    tell_choices(session, imputer)
    if session.json:
        session.show_json(learning_result(session, table, imputer, output=output, n_bytes=n_bytes))
