"""The commands: read options, call the library, show what came of it."""

from __future__ import annotations

from typing import Annotated

import typer

from iim.cli import measuring, options
from iim.cli.building import MethodChoice, check_method, check_source_of_model
from iim.cli.commands import add_command, with_examples
from iim.cli.exits import CODES_IN_WORDS, WrongOptions
from iim.cli.measuring import run_comparison, run_diagnosis
from iim.cli.results import (
    comparison_result,
    diagnosis_result,
    filling_result,
    learning_result,
    tell_choices,
    tell_filling,
    tell_learning,
)
from iim.cli.show import Session
from iim.cli.steps import (
    STREAM,
    Source,
    Target,
    are_same,
    check_model_path,
    check_report,
    fill,
    learn,
    open_model,
    save,
    write_report,
)
from iim.cluster.engine_options import EngineOptions, LearningOptions, is_wanted
from iim.paper import datasets_command as data_sets
from iim.paper import reproduce_command as reproducing

EXIT_CODES = "\b\nExit codes:\n" + "\n".join(
    f"  {code:>3}  {words}" for code, words in CODES_IN_WORDS.items()
)

app = typer.Typer(
    name="iim",
    epilog=EXIT_CODES,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
)


def _show_version(wanted: bool) -> None:  # noqa: FBT001 (typer calls it)
    if wanted:
        from iim.versions import own_version  # noqa: PLC0415

        typer.echo(f"iim {own_version()}")
        raise typer.Exit


@app.callback(
    help=with_examples(
        "Fill missing numbers in tables: each row learns its own model, the nearest rows' models vote.",
        "iim demo --write sensors.csv",
        "iim impute sensors.csv -o filled.csv --report report.html",
        "iim compare sensors.csv",
    ),
)
def options_of_all(
    *,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Take the options that stand before a command; help and version end before any."""


@add_command(
    app,
    "iim impute sensors.csv -o filled.csv",
    "iim impute sensors.csv -o filled.csv --report report.html --compare",
    'iim impute raw.csv --na "?" -200 --ignore station --min 0 -o filled.csv',
    "gzip -dc raw.csv.gz | iim impute - > filled.csv",
)
def impute(
    session: Session,
    path: options.Input,
    output: options.OutputOptions,
    report: options.ReportOptions,
    method: options.MethodOptions,
    file: options.FileOptions,
    *,
    compare: options.Compare = False,
) -> None:
    """Fill the missing numbers of a file.

    Nothing else changes: text, dates and ids pass through, and known numbers stay as they are written.
    """
    if compare and report.report is None:
        raise WrongOptions(
            "--compare: a report to show it in is needed. Add --report FILE, or: iim compare"
        )
    source, chosen = Source.of(path, file), MethodChoice(method)
    target = Target.of(output, source, session, report=report.report)
    table = source.read(session, keep=True)
    target.check_terminal(session, table.format)
    imputer, filled = fill(session, chosen, table)
    n_filled = target.write(session, table, filled)
    tell_filling(session, table, n_filled, by=chosen.key)
    tell_choices(session, imputer)
    if report.report is not None:
        found = {"imputer": imputer, "filled": filled, "measure": True, "compare": compare}
        write_report(session, report.report, table, method.run, **found)
    if session.json:
        result = filling_result(session, table, n_filled, imputer, output=target.path)
        session.show_json({**result, "report": report.report})


@add_command(
    app,
    "iim compare sensors.csv",
    "iim compare sensors.csv --methods mean knn iim --repeats 10",
    "iim compare sensors.csv --pattern clusters --report comparison.html",
)
def compare(
    session: Session,
    path: options.Input,
    hiding: measuring.HidingOptions,
    pattern: measuring.PatternOptions,
    run: options.RunOptions,
    report: options.ReportOptions,
    file: options.FileOptions,
    methods: measuring.Methods = None,
) -> None:
    """Measure which method fills a file best.

    Known cells are hidden and filled by each method, to see how far off they are.
    """
    source = Source.of(path, file)
    for key in methods or ():
        check_method("--methods", key)
    check_report(report.report, path)
    table = source.read(session)
    result = run_comparison(session, table, hiding, pattern, run, methods)
    if report.report is not None:
        write_report(session, report.report, table, run, compare=result)
    session.show_result(repr(result), lambda: comparison_result(session, table, result))


@add_command(
    app,
    "iim diagnose sensors.csv",
    "iim diagnose sensors.csv --hide 0.1 --repeats 10",
)
def diagnose(
    session: Session,
    path: options.Input,
    hiding: measuring.HidingOptions,
    run: options.RunOptions,
    report: options.ReportOptions,
    file: options.FileOptions,
    neighbors: measuring.Neighbors = 10,
) -> None:
    """Tell what is missing, and what could fill it.

    Counts missing cells and patterns, and measures by column how well the nearest rows, and one linear law,
    tell hidden values.
    """
    source = Source.of(path, file)
    check_report(report.report, path)
    table = source.read(session)
    result = run_diagnosis(session, table, hiding, run, n_neighbors=neighbors)
    if report.report is not None:
        write_report(session, report.report, table, run, measure=result)
    session.show_result(repr(result), lambda: diagnosis_result(session, table, result))


@add_command(
    app,
    "iim fit january.csv -o model.iim",
    "iim fit years.parquet -o model.iim --sample 20000",
    "iim fit folder --engine dask -o model",
)
def fit(
    session: Session,
    path: options.Input,
    output: options.ModelOut,
    method: options.MethodOptions,
    file: options.FileOptions,
    engine: LearningOptions,
    sample: options.Sample = None,
) -> None:
    """Learn from a file, and keep the model.

    With --engine dask from a folder of Parquet files of any size; the model is a folder, then.
    """
    if is_wanted(engine):
        from iim.cluster.folder_commands import learn_from_folder  # noqa: PLC0415 (help answers at once)

        learn_from_folder(session, path, output, method, file, engine, sample)
        return
    source, chosen = Source.of(path, file), MethodChoice(method)
    check_model_path(output, path)
    table = source.read(session, sample=sample, seed=method.seed)
    imputer = learn(session, chosen, table)
    n_bytes = save(session, imputer, output)
    tell_learning(session, table, by=chosen.key, output=output, n_bytes=n_bytes)
    tell_choices(session, imputer)
    if session.json:
        session.show_json(learning_result(session, table, imputer, output=output, n_bytes=n_bytes))


@add_command(
    app,
    "iim apply february.csv --model model.iim -o filled.csv",
    "iim apply years.parquet --sample 20000 -o filled.parquet",
    "tail -n 100 log.csv | iim apply - --model model.iim --no-header",
    "iim apply folder --engine dask --model model -o filled",
)
def apply(
    session: Session,
    path: options.Input,
    output: options.OutputOptions,
    method: options.MethodOptions,
    file: options.FileOptions,
    engine: EngineOptions,
    model: options.Model = None,
    sample: options.Sample = None,
) -> None:
    """Fill a file of any size, piece by piece.

    With a model that `iim fit` wrote, or after learning from a sample of the file's own rows. With --engine
    dask, a folder of Parquet files is filled into a new one, which appears when it is complete; in an
    object store, where that cannot be, a file _SUCCESS is written last.
    """
    if is_wanted(engine):
        from iim.cluster.folder_commands import fill_folder  # noqa: PLC0415

        fill_folder(session, path, output, method, file, engine, model=model, sample=sample)
        return
    check_source_of_model(model, sample, path, method)
    source, chosen = Source.of(path, file), MethodChoice(method)
    target = Target.of(output, source, session)
    if model is not None and are_same(model, target.path):
        raise WrongOptions(f"--output: another file than the model is needed; received {model!r} for both")
    if model is not None:
        imputer = open_model(session, model, method)
    else:
        table = source.read(session, sample=sample, seed=method.seed)
        imputer = learn(session, chosen, table)
    done = target.stream(session, source, imputer)
    tell_filling(session, done, done.n_filled, by=model or chosen.key)
    if model is None:
        tell_choices(session, imputer)
    if session.json:
        session.show_json(filling_result(session, done, done.n_filled, imputer, output=target.path))


@add_command(
    app,
    "iim methods",
    "iim methods knn",
)
def methods(session: Session, key: options.Key = None) -> None:
    """List the methods; with KEY, the parameters of one."""
    from iim.cli.describing import show_method, show_methods  # noqa: PLC0415 (help answers at once)

    if key is None:
        show_methods(session)
    else:
        show_method(session, check_method("KEY", key))


@add_command(
    app,
    "iim datasets",
    "iim datasets --data folder",
    "iim datasets --data folder --download ccs ca",
)
def datasets(
    session: Session,
    data: data_sets.Folder = None,
    download: data_sets.Download = None,
    *,
    yes: data_sets.Yes = False,
) -> None:
    """List the data of the paper's experiments, or download some.

    What is in the folder is known by its values. Nothing is downloaded before you agree to it.
    """
    folder = data_sets.find_folder(session, data)
    if download:
        data_sets.download(session, data_sets.check_keys(download), folder, agreed=yes)
    elif yes:
        raise WrongOptions("--yes: a download to agree to is needed. Add --download NAME")
    else:
        data_sets.show_datasets(session, folder)


@add_command(
    app,
    "iim reproduce --quick --data folder",
    "iim reproduce --data folder --out reproduction",
    "iim reproduce --only various by-attribute",
)
def reproduce(session: Session, wanted: reproducing.ReproduceOptions) -> None:
    """Run the paper's experiments again: our numbers beside its own.

    Every table and figure, on one page as HTML and Markdown. What was measured before is kept: an
    interrupted run goes on where it stopped.
    """
    reproducing.run_reproduction(session, wanted)


@add_command(
    app,
    "iim demo",
    "iim demo --write sensors.csv",
    "iim demo --report report.html",
)
def demo(session: Session, report: options.ReportOptions, write: options.Write = None) -> None:
    """Show it all on sample tables, or write one.

    A sample table in a file is for trying the other commands.
    """
    from iim.cli.showcase import report_sample, run_demo, write_sample  # noqa: PLC0415

    check_report(report.report, write or STREAM)
    if write is not None:
        write_sample(session, write)
    if report.report is not None:
        report_sample(session, report.report)
    if write is None and report.report is None:
        run_demo(session)
