"""The sample table: shown, written, reported on."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files

from iim.cli.building import MethodChoice
from iim.cli.exits import writing
from iim.cli.options import FileOptions, MethodOptions
from iim.cli.show import Session
from iim.cli.steps import STREAM, Source, fill, write_report

SAMPLE = files("iim.samples").joinpath("sensors.csv")


def run_demo(session: Session) -> None:
    """Show the main job on the tables that ship with the package."""
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
    source, options = Source.of(str(SAMPLE), FileOptions()), MethodOptions()
    table = replace(source.read(session), name=SAMPLE.name)
    imputer, filled = fill(session, MethodChoice(options), table)
    found = {"imputer": imputer, "filled": filled, "measure": True, "compare": True}
    write_report(session, path, table, options.run, **found)
