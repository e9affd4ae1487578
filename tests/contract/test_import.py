"""`import iim` is lazy and light, and needs no dataframe library."""

import pytest

import iim

SHOW_HEAVY = """
import sys
heavy = {
    "numpy", "numba", "sklearn", "pandas", "polars", "narwhals", "joblib", "scipy", "xgboost", "matplotlib",
    "safetensors", "pyarrow", "rich", "dask", "distributed", "pyspark",
}
print(*sorted(heavy & sys.modules.keys()))
"""

WITHOUT = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {absent}:
            raise ImportError(f"{{name}} is absent, for this test")

sys.meta_path.insert(0, Absent())
"""


def test_import_loads_nothing_heavy(run_python):
    assert run_python("import iim\n" + SHOW_HEAVY).split() == []


def test_listing_the_names_loads_nothing_heavy(run_python):
    shown = run_python("import iim\nassert dir(iim) == sorted(iim.__all__)\n" + SHOW_HEAVY)
    assert shown.split() == []


def test_the_settings_of_the_paper_load_no_compiler(run_python):
    assert "numba" not in run_python("import iim\niim.PAPER\n" + SHOW_HEAVY).split()


def test_using_the_imputer_is_what_loads_the_heavy_parts(run_python):
    # Also the proof that the tests above can see them. (scikit-learn loads pandas too, where it is there.)
    loaded = run_python("import iim\niim.IIMImputer\n" + SHOW_HEAVY).split()
    assert {"numpy", "numba", "sklearn", "narwhals", "joblib"} <= set(loaded)


def test_every_public_name_can_be_had(run_python):
    run_python("""
        from iim import *
        import iim

        for name in iim.__all__:
            assert globals()[name] is getattr(iim, name), name
    """)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'iim' has no attribute 'IMMImputer'"):
        _ = iim.IMMImputer


def test_an_unknown_name_cannot_be_imported(run_python):
    run_python("""
        try:
            from iim import IMMImputer
        except ImportError as error:
            assert "IMMImputer" in str(error)
        else:
            raise SystemExit("imported a name that is not there")
    """)


def test_arrays_are_filled_without_any_dataframe_library(run_python):
    shown = run_python(
        WITHOUT.format(absent={"pandas", "polars", "pyarrow"})
        + """
import iim

table = iim.samples.example("numpy")
imputer = iim.IIMImputer(**{**iim.PAPER, "n_neighbors": 3, "learning_grid": range(1, 9)})
print(round(imputer.fit_transform(table)[8, 1], 3))
for name in ("pandas", "polars", "pyarrow"):
    assert name not in sys.modules, name
    try:
        __import__(name)
    except ImportError:
        continue
    raise SystemExit(f"{name} was not absent")
"""
    )
    assert shown.split() == ["1.184"]


def test_a_method_that_needs_xgboost_says_so_and_the_others_work(run_python):
    shown = run_python(
        WITHOUT.format(absent={"xgboost"})
        + """
import iim

table = iim.samples.example("numpy")
for key, method in iim.METHODS.items():
    try:
        method().fit_transform(table)
    except iim.MissingDependency as error:
        assert isinstance(error, ImportError)
        print(key, error)
"""
    )
    assert shown == (
        "xgb XgbImputer needs the package xgboost, which is not installed. Install it with "
        '`pip install "iim[xgb]"`, or install `xgboost-cpu` or `xgboost` itself, but not both.\n'
    )


def test_the_paper_and_its_commands_load_nothing_heavy(run_python):
    commands = "import iim.paper, iim.paper.reproduce_command, iim.paper.datasets_command\n"
    assert run_python(commands + SHOW_HEAVY).split() == []


def test_importing_the_methods_does_not_load_what_only_some_need(run_python):
    loaded = run_python("import iim\niim.METHODS\n" + SHOW_HEAVY).split()
    assert not {"xgboost", "matplotlib", "safetensors", "dask", "distributed", "pyspark"} & set(loaded)


@pytest.mark.parametrize(
    ("adapter", "package"),
    [("dask", "dask"), ("dask", "pandas"), ("spark", "pyspark"), ("spark", "pyarrow")],
)
def test_an_adapter_without_its_engine_says_what_to_install(run_python, adapter, package):
    shown = run_python(
        WITHOUT.format(absent={package})
        + f"""
import iim

try:
    import iim.cluster.{adapter}
except iim.MissingDependency as error:
    print(error)
"""
    )
    assert shown.startswith(f"iim.cluster.{adapter} needs the package {package}, which is not installed")
    assert shown.endswith(f'Install it with `pip install "iim[{adapter}]"`.\n')


def test_an_adapter_loads_its_own_engine_only(run_python):
    shown = run_python("import iim.cluster.dask\n" + SHOW_HEAVY).split()
    assert {"dask", "pandas"} <= set(shown)
    assert "pyspark" not in shown


def test_a_sample_that_needs_pandas_says_so(run_python):
    shown = run_python(
        WITHOUT.format(absent={"pandas"})
        + """
import iim

try:
    iim.samples.sensors()
except iim.MissingDependency as error:
    print(error)
"""
    )
    assert "needs the package pandas" in shown
    assert 'pip install "iim[pandas]"' in shown
    assert "backend='numpy'" in shown
