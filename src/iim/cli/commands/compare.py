"""Measure which method fills a file best.

Known cells are hidden, each method fills them, and the errors are shown.

Examples
--------
  iim compare sensors.csv
  iim compare sensors.csv --methods mean knn iim --repeats 10
  iim compare sensors.csv --pattern clusters --report comparison.html
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from iim.cli import options as shared
from iim.cli.results import comparison_result
from iim.cli.session import Session
from iim.cli.tables import check_report, read, write_report
from iim.imputers import METHODS


def add_options(parser: ArgumentParser) -> None:
    """Add the options."""
    shared.add_input(parser)
    topic = shared.add_hiding(parser)
    topic.add_argument(
        "--pattern",
        metavar="NAME",
        default="cells",
        help="cells (at random), attribute (one column at a time) or clusters (near rows together) "
        "(default: cells).",
    )
    topic.add_argument(
        "--cluster-size",
        metavar="N",
        type=shared.whole(1),
        default=3,
        help="Rows of a cluster (default: 3).",
    )
    topic = parser.add_argument_group("Method")
    topic.add_argument(
        "--methods",
        **shared.SEVERAL,
        metavar="KEY",
        choices=METHODS,
        help="Methods to compare: --methods mean knn iim (default: all but auto).",
    )
    shared.add_run(topic)
    shared.add_report(parser.add_argument_group("Result"))
    shared.add_columns(parser)
    shared.add_layout(parser)


def run(session: Session, options: Namespace) -> None:
    """Compare the methods, and show their errors."""
    from iim.comparing import compare  # noqa: PLC0415 (help answers at once)

    check_report(options.report, options.path)
    table = read(session, options)
    with session.computing("comparing") as tell:
        found = compare(
            table.frame,
            options.methods,
            # Ids were detected when the file was read.
            columns=table.frame.column_names,
            pattern=options.pattern,
            cluster_size=options.cluster_size,
            hide=options.hide,
            repeats=options.repeats,
            random_state=options.seed or 0,
            n_jobs=options.jobs or -1,
            progress=tell,
        )
    if options.report is not None:
        write_report(session, options, table, compare=found)
    session.show_result(repr(found), lambda: comparison_result(session, table, found))
