"""Fill sample tables, or write one.

Write a sample table to a file to try the other commands.

Examples
--------
  iim demo
  iim demo --write sensors.csv
  iim demo --report report.html
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import replace
from pathlib import Path

from iim.cli import options as shared
from iim.cli.commands import impute
from iim.cli.exits import writing
from iim.cli.parser import Parser
from iim.cli.session import Session
from iim.cli.tables import STREAM, check_report, read, write_report

SAMPLE = Path(__file__).parents[2] / "samples" / "sensors.csv"


def add_options(parser: ArgumentParser) -> None:
    """Add the options."""
    topic = parser.add_argument_group("Result")
    shared.add_report(topic)
    topic.add_argument(
        "--write", metavar="FILE", help="Write the sample table as CSV, to try the other commands."
    )


def run(session: Session, options: Namespace) -> None:
    """Write the table or the report, or show the demonstration."""
    check_report(options.report, options.write or STREAM)
    if options.write is not None:
        write_sample(session, options.write)
    if options.report is not None:
        report_sample(session, options.report)
    if options.write is None and options.report is None:
        show_demo(session)


def show_demo(session: Session) -> None:
    """Fill the tables that ship with the package, and show the result."""
    from iim import demo  # noqa: PLC0415 (help answers at once)
    from iim.compile import tell_of_compiling  # noqa: PLC0415

    with tell_of_compiling(session.say):
        if session.json:
            session.show_json(demo.results())
        else:
            demo.show_all()


def write_sample(session: Session, path: str) -> None:
    """Write the sample table as CSV."""
    from iim.persistence.atomic import replace_file  # noqa: PLC0415

    content = SAMPLE.read_bytes()
    with writing(path):
        if path == STREAM:
            session.environment.data_out.write(content)
            return
        replace_file(path, [content])
    session.say(f"Wrote the sample table of three weather stations: {path}")
    if session.json:
        session.show_json({"written": path})


def report_sample(session: Session, path: str) -> None:
    """Fill the sample table, compare methods on it, and write a report."""
    parser = Parser()
    impute.add_options(parser)
    options = parser.parse([str(SAMPLE), "--report", path])
    table = replace(read(session, options), name=SAMPLE.name)
    write_report(session, options, table, imputer="iim", measure=True, compare=True)
