"""Pages of results that are made up: one as a reproduction gives it, one with all that is hostile."""

import math

from iim.paper.results import Figure, Line, Number, Page, Panel, Ranking, Section, Table

METHODS = (
    "IIM",
    "Mean",
    "kNN",
    "kNNE",
    "IFC",
    "GMM",
    "SVD",
    "ILLS",
    "GLR",
    "LOESS",
    "BLR",
    "ERACER",
    "PMM",
    "XGB",
)
DATASETS = ("ASF", "CCPP", "CCS", "DA", "CA", "SN")
HOSTILE = "<script>alert(\"x\")</script> | `code` $a_b$ \\ [link](javascript:x) & 'q' *b* {math}`x` \u202e"
LONG = "a very long name of a method that nobody would " + "wri" * 60 + "te"


def demo_page() -> Page:
    """What a reproduction's page looks like: fourteen methods, tables, figures with log axes, a ranking."""
    return Page(
        "The paper, reproduced",
        (
            "Every table and every figure of the paper, ours beside theirs. By `iim reproduce` in 2 h.",
            "How fast each method is today is in another section.",
        ),
        (
            Section(
                "data",
                "Data sets",
                "tab:data",
                ("What the data sets are.",),
                (
                    Table(
                        "data-sets",
                        "Data sets",
                        "name",
                        DATASETS,
                        ("rows", "columns", "source"),
                        _data_cells(),
                        difference="none",
                        notes=("SN is a stand-in.",),
                    ),
                ),
            ),
            Section(
                "rms",
                "RMS error over various data sets",
                "tab:rms",
                ("One attribute of each data set, 5 % of tuples incomplete, k = 10, three seeds.",),
                (
                    Table(
                        "rms-error",
                        "RMS error",
                        "method",
                        METHODS,
                        DATASETS,
                        _error_cells(),
                        better="low",
                        notes=("Distances are on raw numbers, as in the paper.",),
                    ),
                    Table(
                        "purity",
                        "Clustering purity",
                        "method",
                        ("Missing", *METHODS[:5]),
                        ("ASF", "CA"),
                        _purity_cells(),
                        difference="absolute",
                        better="high",
                    ),
                ),
                ("IIM is within 15 % of the paper on 5 of 6 data sets.", "IIM beats `kNN` on all six."),
            ),
            Section(
                "speed",
                "Varying the number of complete tuples",
                "exp:vary-n",
                ("From 100 to 10,000 complete tuples.",),
                (
                    Figure("vary-n", "Error and time by n", (_panel("ASF", 1.0), _panel("CA", 40.0))),
                    Figure("adaptive", "Adaptive against fixed l", (_fixed_panel(),)),
                    Ranking(
                        "ranks",
                        "Mean ranks of all methods",
                        {name: 1.8 + 0.83 * at + 0.4 * math.sin(3 * at) for at, name in enumerate(METHODS)},
                        3.1,
                        24,
                        ("Nemenyi's test at 5 %.",),
                    ),
                ),
                ("Incremental learning is 12 times faster at n = 10,000.",),
            ),
        ),
        {
            "iim": "0.1.0",
            "seeds": "0, 1, 2",
            "command": "iim reproduce --out page",
            "processor": "2 cores",
        },
    )


def hostile_page() -> Page:
    """Names and numbers that break pages which are not careful."""
    cells = {
        (HOSTILE, HOSTILE): Number(1.0, 2.0, 1.1),
        (HOSTILE, "b"): Number(None, None, 3.0, why=HOSTILE),
        (LONG, HOSTILE): Number(1.0000001, math.inf, 0.0),
        (LONG, "b"): Number(math.nan, math.nan, 2.0),
        ("- 1. #", HOSTILE): Number(math.inf, None, -1.0),
        ("- 1. #", "b"): HOSTILE,
    }
    # No name of a column or of a data set comes to be in a plot; markup does no harm there either.
    markup = HOSTILE.replace("\u202e", "")
    line = Line(markup, (1.0, 2.0, 4.0), (1.0, math.nan, math.inf), (0.5, 0.5, 0.5), (2.0, 2.0, math.nan))
    panel = Panel("P", "x", markup, (line, Line("other", (0.0, 3.0), (0.0, -1.0))), log_x=True, log_y=True)
    blocks = (
        Table("Hostile-1", HOSTILE, HOSTILE, (HOSTILE, LONG, "- 1. #", "none"), (HOSTILE, "b", "c"), cells),
        Figure("hostile-2", HOSTILE, (panel, Panel("", "", "", ()))),
        Ranking("hostile-3", LONG, {markup: 1.5, "x": math.nan}, 9.0, 1, ()),
    )
    section = Section("main", HOSTILE, "<b>", (), blocks)
    return Page(HOSTILE, (), (section, Section("empty", "?!", "", (), ())), {HOSTILE: HOSTILE})


def _data_cells():
    cells = {}
    for at, name in enumerate(DATASETS):
        cells[name, "rows"] = Number(1000.0 * (at + 1), paper=1000.0 * (at + 1))
        cells[name, "columns"] = Number(3.0 + at, paper=3.0 + at)
        cells[name, "source"] = "stand-in" if name == "SN" else "UCI"
    return cells


def _error_cells():
    cells = {}
    for down, method in enumerate(METHODS):
        for across, name in enumerate(DATASETS):
            paper = (4.0 + down + math.sin(down * across)) * 10.0 ** (across - 2)
            ours = paper * (1.0 + 0.3 * math.sin(1.0 + down + 2 * across))
            cells[method, name] = Number(ours, ours * 1.2, paper)
    cells["XGB", "SN"] = Number(None, None, 12.0, why="too slow")
    cells["SVD", "DA"] = Number(4.2, 4.4, None)
    del cells["Mean", "SN"]
    return cells


def _purity_cells():
    names = ("Missing", *METHODS[:5])
    return {
        (name, data): Number(0.9 - 0.03 * at, 0.85 - 0.03 * at, 0.88 - 0.01 * at)
        for at, name in enumerate(names)
        for data in ("ASF", "CA")
    }


def _panel(title, size):
    x = (100.0, 250.0, 500.0, 1000.0, 4000.0, 10000.0)
    lines = []
    for at, name in enumerate(METHODS):
        y = tuple(size * (1.0 + 0.45 * at + 0.2 * math.sin(at + n)) * (n / 100.0) ** -0.2 for n in x)
        y = (*y[:4], math.nan, y[5]) if name == "SVD" else y
        lines.append(Line(name, x, y, tuple(0.8 * one for one in y), tuple(1.25 * one for one in y)))
    return Panel(title, "complete tuples n", "RMS error", tuple(lines), log_x=True, log_y=True)


def _fixed_panel():
    x = (1.0, 5.0, 10.0, 50.0, 100.0, 200.0)
    fixed = tuple(5.0 + abs(math.log(one / 20.0)) for one in x)
    return Panel(
        "ASF",
        "number of learning neighbours l",
        "RMS error",
        (
            Line("fixed l", x, fixed, tuple(0.9 * y for y in fixed), tuple(1.1 * y for y in fixed)),
            Line("adaptive", x, (4.8,) * 6, (4.6,) * 6, (5.1,) * 6),
        ),
    )
