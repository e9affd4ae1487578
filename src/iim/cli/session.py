"""What a command says: results to standard output, words and a bar of progress to standard error."""

from __future__ import annotations

import dataclasses
import json
import math
import threading
import time
import warnings
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, Self, TextIO

from iim.cli import signals
from iim.cli.streams import Environment
from iim.exceptions import ImputationWarning
from iim.present.names import as_one_line
from iim.present.numbers import duration

WIDTH = 100
"""Width of a table when standard output is not a terminal, in columns."""

SHOW_AFTER = 1.0
"""Seconds before the bar appears: short commands stay calm."""


class Session(ExitStack):
    """One run of a command: its streams, what it may say, its phases and their times.

    Attributes
    ----------
    environment : Environment
        The streams.
    json : bool
        Whether to write the result as JSON.
    notices : list of str
        Notes so far.
    seconds : dict
        Seconds by phase.
    """

    def __init__(self, environment: Environment, options: Namespace) -> None:
        super().__init__()
        self.environment = environment
        self.json = options.json
        self.notices: list[str] = []
        self.seconds: dict[str, float] = {}
        self._quiet = options.quiet
        self._bar = Bar(environment, wanted=not options.quiet)
        # Progress of the current phase, from 0 to 1; and the function for time between phases, not
        # measured.
        self.tell, self.announce = self._bar.tell, self._bar.begin

    def __enter__(self) -> Self:
        self.callback(self._bar.close)
        self.enter_context(warnings.catch_warnings())
        # Others are for developers: who runs a command can do nothing about them.
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", ImputationWarning)
        warnings.showwarning = lambda message, *_, **__: self.notice(str(message))
        return self

    def say(self, text: str) -> None:
        """Write a line to standard error, unless quiet."""
        line = as_one_line(text)
        if not self._quiet and not self._bar.say(line):
            self.environment.tell(line)

    def notice(self, text: str) -> None:
        """Write a note once, and keep it for the result."""
        line = as_one_line(text)
        if line not in self.notices:
            self.notices.append(line)
            self.say(f"Note: {line}" if not line.startswith("iim:") else line)

    @contextmanager
    def phase(self, name: str) -> Iterator[Callable[[float], None]]:
        """Time a phase, and show its progress; yields the function that takes a fraction from 0 to 1."""
        signals.check()
        begun = time.perf_counter()
        self._bar.begin(name)
        try:
            yield self.tell
            signals.check()
        except KeyboardInterrupt:
            signals.arrive()
            raise
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - begun

    @contextmanager
    def computing(self, name: str) -> Iterator[Callable[[float], None]]:
        """A phase in which kernels may be compiled: a message explains why it takes longer."""
        self.announce("loading")
        from iim.compile import tell_of_compiling  # noqa: PLC0415 (help answers at once)

        with self.phase(name) as tell, tell_of_compiling(self.say):
            yield tell

    def make_room(self) -> None:
        """Remove the bar before data are written to its terminal."""
        if self.environment.stdout_is_terminal:
            self._bar.close()

    def took(self) -> str:
        """The time of all phases, as text."""
        return duration(sum(self.seconds.values()))

    def show(self, text: str) -> None:
        """Write a result to standard output."""
        self._bar.close()
        self.environment.stdout.write(f"{text}\n")

    def show_json(self, result: Mapping[str, Any]) -> None:
        """Write a result to standard output as one JSON object."""
        self.show(json.dumps(as_json(result), allow_nan=False, indent=2))

    def show_result(self, page: str, result: Callable[[], Mapping[str, Any]]) -> None:
        """Write a result to standard output: its page, or with --json the value of ``result``."""
        if self.json:
            self.show_json(result())
        else:
            self.show(page)

    def show_table(self, caption: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Write a table to standard output; its last column is wrapped if it is too wide."""
        from iim.present.tables import Head, build_table, words  # noqa: PLC0415 (help answers at once)
        from iim.present.terminal import as_text  # noqa: PLC0415

        heads = [Head(text, "name") for text in header[:-1]] + [Head(header[-1], "words")]
        table = build_table(caption, heads, [[words(cell) for cell in row] for row in rows])
        self.show(as_text([table], console_for(self.environment, self.environment.stdout)))


class Bar:
    """One line on standard error that shows the phase at work; gone when all is done.

    Parameters
    ----------
    environment : Environment
        Where to draw.
    wanted : bool
        Whether to draw at all, if there is a terminal.
    timer : callable, default=threading.Timer
        Calls a function after a number of seconds, as :class:`threading.Timer`.
    """

    def __init__(
        self,
        environment: Environment,
        *,
        wanted: bool,
        timer: Callable[[float, Callable[[], None]], Any] = threading.Timer,
    ) -> None:
        self._environment = environment
        # A bar is drawn by the timer's thread and moved by the one that works.
        self._lock = threading.RLock()
        self._live: Any = None
        self._task: Any = None
        self._phase = ""
        self._fraction: float | None = None
        self._timer: Any = None
        if wanted and environment.stderr_is_terminal:
            self._timer = timer(SHOW_AFTER, self._show)
            self._timer.daemon = True
            self._timer.start()

    def begin(self, phase: str) -> None:
        """Show this phase from now on, at an unknown part of its way."""
        with self._lock:
            self._phase, self._fraction = phase, None
            if self._live is not None:
                self._live.reset(self._task, total=None, description=_title(phase))

    def tell(self, fraction: float) -> None:
        """Show how much of the phase is done, from 0 to 1; it ends here if a signal got lost."""
        signals.check()
        with self._lock:
            self._fraction = fraction
            if self._live is not None:
                self._live.update(self._task, total=1.0, completed=fraction)

    def say(self, line: str) -> bool:
        """Write a line above the bar, if there is one; whether it did."""
        with self._lock:
            if self._live is None:
                return False
            self._live.console.print(line, markup=False, highlight=False, soft_wrap=True)
            return True

    def close(self) -> None:
        """Take the bar away, for good."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            if self._live is not None:
                self._live.stop()
            self._timer = self._live = None

    def _show(self) -> None:
        # Loaded by those who see it only, and before anyone has to wait for the lock.
        from rich.progress import (  # noqa: PLC0415
            BarColumn,
            Progress,
            TaskProgressColumn,
            TextColumn,
            TimeRemainingColumn,
        )

        with self._lock:
            if self._timer is None:
                return
            self._live = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TaskProgressColumn(),
                TimeRemainingColumn(),
                TextColumn("left"),
                console=console_for(self._environment, self._environment.stderr),
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._task = self._live.add_task(_title(self._phase), total=None)
            if self._fraction is not None:
                self.tell(self._fraction)
            self._live.start()


def _title(phase: str) -> str:
    return phase.capitalize().ljust(len("Comparing"))


def console_for(environment: Environment, stream: TextIO) -> Any:
    """A console of rich on one of the streams; plain and of a fixed width without a terminal."""
    from rich.console import Console  # noqa: PLC0415 (slow: imported when needed)

    is_terminal = (
        environment.stdout_is_terminal if stream is environment.stdout else environment.stderr_is_terminal
    )
    return Console(
        file=stream,
        force_terminal=is_terminal,
        no_color=not environment.has_colours,
        width=None if is_terminal else WIDTH,
        highlight=False,
        # rich reads NO_COLOR and COLUMNS of the process; a run has variables of its own.
        _environ=environment.variables,
    )


def as_json(value: Any) -> Any:
    """The value as JSON has it: NaN and infinity become null, keys become text.

    >>> as_json({0: (1.5, float("nan")), "grid": range(3)})
    {'0': [1.5, None], 'grid': [0, 1, 2]}
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {one.name: as_json(getattr(value, one.name)) for one in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): as_json(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple, range, set, frozenset)):
        return [as_json(entry) for entry in value]
    if hasattr(value, "tolist"):
        return as_json(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)
