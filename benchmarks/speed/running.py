"""Topics, options, records."""

from __future__ import annotations

import argparse
import datetime as dt
import json
from pathlib import Path
from types import ModuleType
from typing import Any

from iim.versions import versions
from speed import first_call, growth, history, learning, memory, ratios, scalability, search, stages
from speed.plan import Plan
from speed.readme import README, renewed

TOPICS: dict[str, ModuleType] = {
    "ratios": ratios,
    "learning": learning,
    "stages": stages,
    "search": search,
    "growth": growth,
    "scalability": scalability,
    "memory": memory,
    "first_call": first_call,
}
"""In the order in which they are measured."""

PARTS = ("python", "machine", "numpy", "scipy", "scikit-learn", "numba")
"""Versions that a time depends on; records have all."""

RESULTS = Path(__file__).with_name("results.json")
"""The committed records, which the documentation draws."""


def main(arguments: list[str]) -> int:
    """Measure what is asked for, print it, keep it."""
    if arguments[:1] == ["history"]:
        return history.main(arguments[1:])
    options = _options(arguments)
    if options.show:
        return show()
    plan = Plan(quick=options.quick, rounds=options.rounds, workers=options.workers, rows=options.rows)
    about = describe(plan)
    print(_about_line(about), flush=True)
    for name in options.topics or TOPICS:
        topic = TOPICS[name]
        print(f"\n== {name}: {(topic.__doc__ or '').splitlines()[0]}\n", flush=True)
        record = topic.measure(plan)
        for line in topic.lines(record):
            print(line, flush=True)
        if options.out is not None:
            keep(options.out, name, {"about": about, **record})
    return 0


def show() -> int:
    """Print the committed records, and renew the tables of ``benchmarks/README.md``."""
    for name in TOPICS:
        print("\n".join(kept_lines(name)))
    README.write_text(renewed(README.read_text(encoding="utf-8"), kept_lines), encoding="utf-8")
    return 0


def kept_lines(name: str) -> list[str]:
    """The table of one topic, or of the history, from what is committed."""
    if name == "history":
        return list(history.lines(history.read(history.HISTORY)))
    record = json.loads(RESULTS.read_text(encoding="utf-8"))[name]
    return [f"== {name}: {_about_line(record['about'])}", "", *TOPICS[name].lines(record)]


def describe(plan: Plan) -> dict[str, Any]:
    """When, where and with what a record was measured."""
    return {
        "commit": history.commit_of("HEAD"),
        "date": dt.datetime.now(dt.UTC).strftime("%Y-%m-%d"),
        "workers": plan.workers,
        "rounds": plan.rounds,
        "quick": plan.quick,
        "versions": versions(),
    }


def keep(path: Path, name: str, record: dict[str, Any]) -> None:
    """Put the record of one topic into a file; those of others stay."""
    records = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    records[name] = record
    path.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")


def _about_line(about: dict[str, Any]) -> str:
    parts = ", ".join(f"{name} {about['versions'][name]}" for name in PARTS)
    quick = "QUICK, so the numbers mean nothing; " if about["quick"] else ""
    return f"{quick}commit {about['commit']}, {about['date']}, {about['workers']} workers; {parts}"


def _options(arguments: list[str]) -> argparse.Namespace:
    default = Plan()
    parser = argparse.ArgumentParser(
        prog="python benchmarks/speed",
        description="How fast IIM is; without a topic, all of them. `history --help`: ratios over commits.",
    )
    parser.add_argument("topics", nargs="*", metavar="topic", help=", ".join(TOPICS))
    parser.add_argument("--quick", action="store_true", help="tiny made-up tables: does everything run?")
    parser.add_argument("--rounds", type=int, help=f"repetitions, at most (default: {default.rounds})")
    parser.add_argument("--workers", type=int, default=default.workers, help="threads (default: all cores)")
    parser.add_argument(
        "--rows",
        type=int,
        default=default.rows,
        help="rows of the largest table, for growth, scalability and memory (default: %(default)s)",
    )
    parser.add_argument("--out", type=Path, help="JSON file that keeps the records")
    parser.add_argument(
        "--show",
        action="store_true",
        help="measure nothing: print what is committed, and write it into benchmarks/README.md",
    )
    options = parser.parse_args(arguments)
    unknown = [name for name in options.topics if name not in TOPICS]
    if unknown:
        parser.error(f"topic: one of {', '.join(TOPICS)} is needed; received {unknown[0]}.")
    if options.rounds is None:
        options.rounds = 1 if options.quick else default.rounds
    return options
