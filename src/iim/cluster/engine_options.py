"""Options of engines, which work on folders of Parquet files: on all cores, or on a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from iim.cli.building import DEFAULT_METHOD, MethodChoice, check_source_of_model, refuse
from iim.cli.declaring import ENGINE, at_least, option
from iim.cli.exits import WrongOptions
from iim.cli.keys import ENGINES, complete_engine
from iim.cli.options import FileOptions, MethodOptions, OutputOptions

PART_ROWS = 250_000
"""Rows of a part, unless ``--part-rows`` says otherwise; as ``iim.cluster.dask.fit`` has it."""

STREAM = "-"


@dataclass(frozen=True)
class EngineOptions:
    """Who does the work, and where."""

    engine: Annotated[
        str | None,
        option(
            "--engine",
            panel=ENGINE,
            metavar="ENGINE",
            text="dask: INPUT is a folder of Parquet files, or an address such as s3://bucket/folder, of "
            "any size, and what is written is a folder.",
            complete=complete_engine,
        ),
    ] = None
    workers: Annotated[
        int | None,
        option(
            "--workers",
            panel=ENGINE,
            metavar="N",
            text="Processes on this machine (default: one for each core).",
            check=at_least(1),
        ),
    ] = None
    memory_limit: Annotated[
        str | None,
        option(
            "--memory-limit",
            panel=ENGINE,
            metavar="SIZE",
            text="Memory of each of them, such as 2GB (default: an equal share of all).",
        ),
    ] = None
    address: Annotated[
        str | None,
        option(
            "--address",
            panel=ENGINE,
            metavar="ADDRESS",
            text="Work on a cluster that is there, such as tcp://host:8786, which sees the same files.",
        ),
    ] = None

    def given(self) -> dict[str, Any]:
        """Options that need an engine, and what they were given."""
        return {"--workers": self.workers, "--memory-limit": self.memory_limit, "--address": self.address}


@dataclass(frozen=True)
class LearningOptions(EngineOptions):
    """The same, for learning."""

    exact: Annotated[
        bool,
        option(
            "--exact",
            panel=ENGINE,
            text="Learn what one machine would, to the last bit; takes longer.",
        ),
    ] = False
    part_rows: Annotated[
        int | None,
        option(
            "--part-rows",
            panel=ENGINE,
            metavar="N",
            text=f"Rows that a worker learns from at once, about (default: {PART_ROWS}).",
            check=at_least(1),
        ),
    ] = None

    def given(self) -> dict[str, Any]:
        """Options that need an engine, and what they were given."""
        return {**super().given(), "--exact": self.exact or None, "--part-rows": self.part_rows}


def is_wanted(options: EngineOptions) -> bool:
    """Whether an engine does the work; its options without it are an error."""
    if options.engine is not None:
        if options.engine.lower() not in ENGINES:
            raise refuse("--engine", options.engine, ENGINES)
        if options.address is not None and (options.workers or options.memory_limit):
            raise WrongOptions(
                "--address: a cluster has its workers and their memory already. Leave out --workers and "
                "--memory-limit"
            )
        return True
    for name, value in options.given().items():
        if value is not None:
            raise WrongOptions(f"{name}: an engine is needed. Add --engine dask")
    return False


def check_learning(path: str, method: MethodOptions, file: FileOptions, sample: int | None) -> MethodChoice:
    """Refuse what an engine cannot learn; how the imputer is made."""
    _check_shared(path, method, file)
    if sample is not None:
        raise WrongOptions("--sample: an engine learns from all rows. Leave out --sample or --engine")
    chosen = MethodChoice(method)
    if chosen.key != DEFAULT_METHOD:
        raise WrongOptions(
            f"--method: iim is needed with --engine dask; received {chosen.key!r}. Learn it from a sample, "
            f"without --engine (iim fit FILE -m {chosen.key} --sample N -o MODEL), and fill the folder "
            "with that (iim apply FOLDER --engine dask --model MODEL -o OUT)"
        )
    return chosen


def check_filling(
    path: str,
    output: OutputOptions,
    method: MethodOptions,
    file: FileOptions,
    model: str | None,
    sample: int | None,
) -> str:
    """Refuse what an engine cannot fill; the model to fill with."""
    _check_shared(path, method, file)
    if (output.output_format or "parquet").lower() != "parquet":
        raise WrongOptions(
            f"--output-format: parquet is needed with --engine dask; received {output.output_format!r}"
        )
    if model is None or sample is not None:
        raise WrongOptions(
            "--model MODEL: it is needed with --engine dask, and --sample is not for it. Learn a model "
            "first, with iim fit"
        )
    check_source_of_model(model, sample, path, method)
    return model


def _check_shared(path: str, method: MethodOptions, file: FileOptions) -> None:
    if path == STREAM:
        raise WrongOptions(
            "INPUT: a folder of Parquet files is needed with --engine dask; received -, standard input"
        )
    if (file.format_ or "parquet").lower() != "parquet":
        raise WrongOptions(f"--format: parquet is needed with --engine dask; received {file.format_!r}")
    of_text = {
        "--delimiter": file.delimiter,
        "--decimal": file.decimal,
        "--encoding": file.encoding,
        "--header": file.header,
    }
    for name, value in of_text.items():
        if value is not None:
            raise WrongOptions(f"{name}: it is for text; --engine dask reads folders of Parquet files")
    if method.jobs is not None:
        raise WrongOptions("--jobs: workers have a thread each. Use --workers with --engine dask")
