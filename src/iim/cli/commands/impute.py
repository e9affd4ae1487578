"""Fill the missing numbers of a file.

Nothing else changes: text, dates and ids pass through, and known numbers
stay as they are written.

Examples
--------
  iim impute sensors.csv -o filled.csv
  iim impute sensors.csv -o filled.csv --report report.html --compare
  iim impute raw.csv --na "?" -200 --ignore station --min 0 -o filled.csv
  gzip -dc raw.csv.gz | iim impute - > filled.csv
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from iim.cli import options as shared
from iim.cli.exits import WrongOptions
from iim.cli.imputer_choice import ImputerChoice
from iim.cli.results import filling_result, tell_choices, tell_filling
from iim.cli.session import Session
from iim.cli.tables import check_output, check_report, learn, read, write, write_report


def add_options(parser: ArgumentParser) -> None:
    """Add the options."""
    shared.add_input(parser)
    topic = shared.add_output(parser)
    shared.add_report(topic)
    topic.add_argument(
        "--compare",
        action="store_true",
        help="Compare the methods on this table, and add their errors to the report.",
    )
    shared.add_method(parser)
    shared.add_columns(parser)
    shared.add_layout(parser)


def run(session: Session, options: Namespace) -> None:
    """Fill the file, and write the report."""
    if options.compare and options.report is None:
        raise WrongOptions("--compare: a report is needed. Add --report FILE, or use: iim compare")
    chosen = ImputerChoice(options)
    check_output(session, options)
    check_report(options.report, options.path, options.output)
    table = read(session, options, keep=True)
    imputer, filled = learn(session, chosen, table, fill=True)
    n_filled = write(session, options, table, filled)
    tell_filling(session, table, n_filled, by=chosen.key)
    tell_choices(session, imputer)
    if options.report is not None:
        found = {"imputer": imputer, "filled": filled, "measure": True, "compare": options.compare}
        write_report(session, options, table, **found)
    if session.json:
        result = filling_result(session, table, n_filled, imputer, output=options.output)
        session.show_json({**result, "report": options.report})
