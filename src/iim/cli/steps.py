"""What commands do between reading options and showing a result: read, learn, fill, write."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iim.cli.building import MethodChoice, check_format, choice_from, layout_from
from iim.cli.exits import WrongOptions, check_place, writing
from iim.cli.keys import REPORTS
from iim.cli.options import FileOptions, MethodOptions, OutputOptions, RunOptions
from iim.cli.show import Session

if TYPE_CHECKING:
    from iim.files import Choice, FileTable, Layout, Streamed
    from iim.imputers import Imputer

STREAM = "-"
"""What stands for standard input and output."""

BINARY = {"parquet", "feather"}
"""Formats that a terminal cannot show."""


@dataclass(frozen=True)
class Source:
    """The input, with what the user says of it."""

    path: str
    layout: Layout
    choice: Choice

    @classmethod
    def of(cls, path: str, options: FileOptions) -> Source:
        """Check the options."""
        return cls(path, layout_from(options), choice_from(options))

    def read(
        self, session: Session, *, keep: bool = False, sample: int | None = None, seed: int | None = None
    ) -> FileTable:
        """Read the file, or a sample of it, and say what is to be noticed; keep it to write it later."""
        from iim.files import read_file  # noqa: PLC0415 (help answers at once)

        with session.phase("reading") as tell:
            table = read_file(
                self.path,
                self.layout,
                self.choice,
                stdin=session.environment.stdin,
                sample=sample,
                seed=seed or 0,
                keep=keep,
                tell=tell,
            )
        for notice in table.notices:
            session.notice(notice)
        return table


@dataclass(frozen=True)
class Target:
    """The output, with what the user says of it."""

    path: str
    format: str | None

    @classmethod
    def of(
        cls, options: OutputOptions, source: Source, session: Session, *, report: str | None = None
    ) -> Target:
        """Check the options, before anything is read."""
        from iim.files.layouts import format_of_output  # noqa: PLC0415 (help answers at once)

        said = check_format("--output-format", options.output_format)
        target = cls(options.output, format_of_output(options.output, said))
        if session.json and target.is_stream:
            raise WrongOptions("--json: data go to standard output, too. Write them to a file with -o")
        if not target.is_stream:
            check_place(target.path)
        check_report(report, source.path, target.path)
        target.check_terminal(session, source.layout.named(source.path).format)
        return target

    @property
    def is_stream(self) -> bool:
        """Whether it is standard output."""
        return self.path == STREAM

    def check_terminal(self, session: Session, format_in: str | None) -> None:
        """Refuse to write a binary format to a terminal."""
        written = self.format or format_in
        if self.is_stream and session.environment.stdout_is_terminal and written in BINARY:
            raise WrongOptions(f"a terminal cannot show {written}. Write it to a file with -o")

    def write(self, session: Session, table: FileTable, filled: Any) -> dict[str, int]:
        """Write the filled table; how many cells were filled, by column."""
        from iim.files import write_file  # noqa: PLC0415
        from iim.files.output import NotWritten  # noqa: PLC0415

        self._make_room(session)
        with session.phase("writing") as tell, writing(self.path, only=NotWritten):
            stdout = session.environment.data_out
            return write_file(table, filled, self.path, self.format, stdout=stdout, tell=tell)

    def stream(self, session: Session, source: Source, imputer: Imputer) -> Streamed:
        """Fill the source piece by piece."""
        from iim.compile import tell_of_compiling  # noqa: PLC0415
        from iim.files import fill_file  # noqa: PLC0415
        from iim.files.output import NotWritten  # noqa: PLC0415

        self._make_room(session)
        # The file tells how far it is; an imputer would tell it of every piece anew.
        imputer.set_params(progress=False)
        with (
            session.phase("filling") as tell,
            tell_of_compiling(session.say),
            writing(self.path, only=NotWritten),
        ):
            streamed = fill_file(
                imputer,
                source.path,
                self.path,
                layout=source.layout,
                output_format=self.format,
                choice=source.choice,
                stdin=session.environment.stdin,
                stdout=session.environment.data_out,
                tell=tell,
            )
        for notice in streamed.notices:
            session.notice(notice)
        return streamed

    def _make_room(self, session: Session) -> None:
        if self.is_stream and session.environment.stdout_is_terminal:
            session.make_room()


def are_same(path: str, other: str) -> bool:
    """Whether two paths mean one file."""
    return STREAM not in (path, other) and os.path.realpath(path) == os.path.realpath(other)


def check_report(report: str | None, *others: str) -> None:
    """Refuse a report of unknown kind, or in the place of another file of the command."""
    if report is None:
        return
    if not report.lower().endswith(REPORTS):
        endings = ", ".join(REPORTS)
        raise WrongOptions(f"--report: a name that ends in one of {endings} is needed; received {report!r}")
    if any(are_same(report, other) for other in others):
        raise WrongOptions(f"--report: a file of its own is needed; {report!r} is the input or the output")
    check_place(report)


def learn(session: Session, chosen: MethodChoice, table: FileTable) -> Imputer:
    """Make the imputer, and fit it to the table."""
    session.announce("loading")
    from iim.compile import tell_of_compiling  # noqa: PLC0415

    imputer = chosen.make(table.frame.column_names, table.markers, session.tell)
    with session.phase("learning"), tell_of_compiling(session.say):
        return imputer.fit(table.frame)


def fill(session: Session, chosen: MethodChoice, table: FileTable) -> tuple[Imputer, Any]:
    """Make the imputer, fit it to the table, and fill that: the imputer, and what it returned."""
    session.announce("loading")
    from iim.compile import tell_of_compiling  # noqa: PLC0415

    imputer = chosen.make(table.frame.column_names, table.markers, session.tell)
    with session.phase("filling"), tell_of_compiling(session.say):
        return imputer, imputer.fit_transform(table.frame)


def check_model_path(path: str, source: str) -> None:
    """Refuse places where a model cannot go, before anything is read."""
    if path == STREAM:
        raise WrongOptions("--output: a file for the model is needed; received -, standard output")
    if are_same(path, source):
        raise WrongOptions(f"--output: another file than the input is needed; received {path!r} for both")
    check_place(path)


def save(session: Session, imputer: Imputer, path: str) -> int:
    """Write the model; how many bytes it has."""
    with session.phase("writing"), writing(path):
        imputer.save(path)
        return Path(path).stat().st_size


def open_model(session: Session, path: str, options: MethodOptions) -> Imputer:
    """Read a model that was saved."""
    from iim.imputers.files import load  # noqa: PLC0415

    if Path(path).is_dir():
        raise WrongOptions(
            f"--model: a file is needed; {path!r} is a folder. A model that `iim fit --engine dask` wrote "
            "fills folders: add --engine dask"
        )
    with session.phase("reading"):
        imputer = load(path)
    if options.jobs is not None and "n_jobs" in imputer.get_params():
        imputer.set_params(n_jobs=options.jobs)
    return imputer


def write_report(session: Session, path: str, table: FileTable, run: RunOptions, **found: Any) -> None:
    """Write a report of a file.

    Parameters
    ----------
    session : Session
        The command at work: its notices and times are part of the report.
    path : str
        The file to write; its ending says the kind.
    table : FileTable
        The file that was read.
    run : RunOptions
        Seed and threads.
    **found
        What to show, as for :func:`iim.report`: ``imputer`` and ``filled``, ``compare``, ``measure``.
    """
    # Templates and pictures are for those who ask only.
    from iim.compile import tell_of_compiling  # noqa: PLC0415
    from iim.reporting import Origin, report  # noqa: PLC0415

    origin = Origin(table.name, table.columns, table.passed, session.notices, session.seconds)
    seed, jobs = run.seed or 0, -1 if run.jobs is None else run.jobs
    wanted: Any = {"imputer": None, "measure": False, **found}
    with session.phase("reporting") as tell, tell_of_compiling(session.say):
        made = report(table.frame, source=origin, random_state=seed, n_jobs=jobs, progress=tell, **wanted)
        with writing(path):
            made.save(path)
    session.say(f"Report: {path}")
