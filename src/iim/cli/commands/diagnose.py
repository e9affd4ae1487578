"""Show what is missing, and which kind of method suits each column.

Counts missing cells and patterns. Measures for each column how well hidden
values are predicted by the nearest rows and by one linear regression.

Examples
--------
  iim diagnose sensors.csv
  iim diagnose sensors.csv --hide 0.1 --repeats 10
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from iim.cli import options as shared
from iim.cli.results import diagnosis_result
from iim.cli.session import Session
from iim.cli.tables import check_report, read, write_report


def add_options(parser: ArgumentParser) -> None:
    """Add the options."""
    shared.add_input(parser)
    topic = shared.add_hiding(parser)
    topic.add_argument(
        "--neighbors",
        metavar="N",
        type=shared.whole(1),
        default=10,
        help="Number of nearest rows to average (default: 10).",
    )
    shared.add_run(parser.add_argument_group("Method"))
    shared.add_report(parser.add_argument_group("Result"))
    shared.add_columns(parser)
    shared.add_layout(parser)


def run(session: Session, options: Namespace) -> None:
    """Measure the columns, and show the result."""
    from iim.diagnosing import diagnose  # noqa: PLC0415 (help answers at once)

    check_report(options.report, options.path)
    table = read(session, options)
    with session.computing("measuring") as tell:
        found = diagnose(
            table.frame,
            # Ids were detected when the file was read.
            columns=table.frame.column_names,
            n_neighbors=options.neighbors,
            hide=options.hide,
            repeats=options.repeats,
            random_state=options.seed or 0,
            n_jobs=options.jobs or -1,
            progress=tell,
        )
    if options.report is not None:
        write_report(session, options, table, measure=found)
    session.show_result(repr(found), lambda: diagnosis_result(session, table, found))
