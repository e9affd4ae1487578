"""Read the table of a command, learn from it, write it, report on it."""

from __future__ import annotations

import os
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from iim.cli.exits import WrongOptions, check_place, writing
from iim.cli.imputer_choice import ImputerChoice
from iim.cli.session import Session
from iim.persistence.atomic import own_descriptor

if TYPE_CHECKING:
    from iim.files import Choice, FileTable, Layout, Streamed
    from iim.imputers import Imputer

STREAM = "-"
"""The path for standard input or output."""

REPORTS = (".html", ".htm", ".md", ".json")
"""Endings of reports, repeated here so that they are known without loading ``iim.reporting``."""


def choice_from(options: Namespace) -> Choice:
    """Columns and marks of missing values, from ``options.add_columns``."""
    from iim.files import Choice  # noqa: PLC0415 (help answers at once)

    both = sorted(set(options.columns or ()) & set(options.ignore or ()))
    if both:
        raise WrongOptions(f"--columns and --ignore: different columns are needed; both name {both[0]!r}")
    return Choice(
        columns=tuple(options.columns) if options.columns else None,
        ignore=tuple(options.ignore or ()),
        na=tuple(options.na or ()),
    )


def layout_from(options: Namespace) -> Layout:
    """Layout of the input, from ``options.add_layout``."""
    from iim.files import Layout  # noqa: PLC0415

    return Layout(
        format=options.format,
        delimiter=options.delimiter,
        decimal=options.decimal,
        encoding=options.encoding,
        header=options.header,
    )


def read(
    session: Session, options: Namespace, *, keep: bool = False, sample: int | None = None
) -> FileTable:
    """Read the input, or a sample of it, and write notes; ``keep`` it if it is to be written later."""
    from iim.files import read_file  # noqa: PLC0415

    layout, choice = layout_from(options), choice_from(options)
    with session.phase("reading") as tell:
        table = read_file(
            options.path,
            layout,
            choice,
            stdin=session.environment.stdin,
            sample=sample,
            seed=options.seed or 0,
            keep=keep,
            tell=tell,
        )
    for notice in table.notices:
        session.notice(notice)
    return table


def learn(
    session: Session, chosen: ImputerChoice, table: FileTable, *, fill: bool = False
) -> tuple[Imputer, Any]:
    """The fitted imputer, and the filled table if requested."""
    imputer = chosen.make(table.frame.column_names, table.markers, session.tell)
    if fill:
        with session.computing("filling"):
            return imputer, imputer.fit_transform(table.frame)
    with session.computing("learning"):
        return imputer.fit(table.frame), None


def check_output(session: Session, options: Namespace) -> None:
    """Refuse an output that cannot be written or shown, before anything is read."""
    if session.json and (options.output == STREAM or own_descriptor(options.output) == 1):
        raise WrongOptions("--json: data go to standard output, too. Write them to a file with -o")
    if options.output != STREAM:
        check_place(options.output)
    from iim.files import format_of_name  # noqa: PLC0415

    _check_terminal(session, options, layout_from(options).format or format_of_name(options.path))


def write(session: Session, options: Namespace, table: FileTable, filled: Any) -> dict[str, int]:
    """Write the filled table; returns the number of filled cells by column."""
    from iim.files import NotWritten, write_file  # noqa: PLC0415

    _check_terminal(session, options, table.format)
    if options.output == STREAM:
        session.make_room()
    path = options.output
    with session.phase("writing") as tell, writing(path, only=NotWritten):
        stdout = session.environment.data_out
        return write_file(table, filled, path, options.output_format, stdout=stdout, tell=tell)


def fill_in_pieces(session: Session, options: Namespace, imputer: Imputer) -> Streamed:
    """Fill the input into the output, piece by piece."""
    from iim.files import NotWritten, fill_file  # noqa: PLC0415

    if options.output == STREAM:
        session.make_room()
    # Progress counts the file; an imputer would start again with every piece.
    imputer.set_params(progress=False)
    with session.computing("filling") as tell, writing(options.output, only=NotWritten):
        streamed = fill_file(
            imputer,
            options.path,
            options.output,
            layout=layout_from(options),
            output_format=options.output_format,
            choice=choice_from(options),
            stdin=session.environment.stdin,
            stdout=session.environment.data_out,
            tell=tell,
        )
    for notice in streamed.notices:
        session.notice(notice)
    return streamed


def are_same(path: str, other: str) -> bool:
    """Whether two paths are the same file."""
    return STREAM not in (path, other) and os.path.realpath(path) == os.path.realpath(other)


def check_report(report: str | None, *others: str) -> None:
    """Refuse a report of an unknown format, or with the path of another file of the command."""
    if report is None:
        return
    if not report.lower().endswith(REPORTS):
        endings = ", ".join(REPORTS)
        raise WrongOptions(f"--report: a name that ends in one of {endings} is needed; received {report!r}")
    if any(are_same(report, other) for other in others):
        raise WrongOptions(f"--report: a different file is needed; {report!r} is the input or the output")
    check_place(report)


def write_report(session: Session, options: Namespace, table: FileTable, **wanted: Any) -> None:
    """Write the report of a file; ``wanted`` are arguments of :func:`iim.report`."""
    from iim.reporting import Origin, report  # noqa: PLC0415 (loaded only when a report is made)

    origin = Origin(table.name, table.columns, table.passed, session.notices, session.seconds)
    with session.computing("reporting") as tell:
        made = report(
            table.frame,
            **{"imputer": None, "measure": False, **wanted},
            source=origin,
            random_state=options.seed or 0,
            n_jobs=options.jobs or -1,
            progress=tell,
        )
        with writing(options.report):
            made.save(options.report)
    session.say(f"Report: {options.report}")


def _check_terminal(session: Session, options: Namespace, format_in: str | None) -> None:
    """Refuse to write a binary format to a terminal."""
    from iim.files import FORMATS, format_of_output  # noqa: PLC0415 (help answers at once)

    written = format_of_output(options.output, options.output_format) or format_in
    is_binary = written is not None and bool(FORMATS[written].first_bytes)
    if options.output == STREAM and session.environment.stdout_is_terminal and is_binary:
        raise WrongOptions(f"a terminal cannot show {written}. Write it to a file with -o")
