"""Settings of the documentation. Nothing is fetched, neither to build the pages nor to read them."""

import sys
from pathlib import Path

from sphinx.pycode import ModuleAnalyzer

import iim

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

project = "iim"
author = copyright = "The iim developers"  # noqa: A001 - sphinx's name
release = version = iim.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "matplotlib.sphinxext.plot_directive",
    "examples",
    "mathtext",
    "sample_report",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]

# The docstrings say the types, with shapes.
autodoc_typehints = "none"
autosummary_generate = True
numpydoc_show_class_members = False

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

plot_formats = ["svg"]
plot_html_show_formats = False
plot_html_show_source_link = False
plot_rcparams = {"svg.hashsalt": "iim"}

html_theme = "pydata_sphinx_theme"
html_title = f"iim {release}"
html_static_path = ["_static"]
html_css_files = ["formulas.css"]
html_math_renderer = "mathtext"
html_show_sourcelink = False
html_theme_options = {
    "footer_start": ["copyright"],
    "footer_end": [],
    "navigation_with_keys": False,
}


def describe_constant(_app, what, name, _obj, _options, lines):
    """Take the text of a lazily loaded constant from the module that defines it."""
    package, _, constant = name.rpartition(".")
    if what == "data" and package == "iim":
        home = iim._HOME_OF.get(constant, "iim.imputers")
        lines[:] = ModuleAnalyzer.for_module(home).find_attr_docs()[("", constant)]


def skip_foreign(_app, _what, _name, obj, _skip, _options):
    """Leave to scikit-learn what is documented there."""
    home = getattr(obj, "__module__", None) or ""
    return True if home.startswith("sklearn.") else None


def setup(app):
    app.connect("autodoc-skip-member", skip_foreign)
    app.connect("autodoc-process-docstring", describe_constant, priority=1)
