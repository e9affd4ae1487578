"""Reports to test: small, quick, and what their parts say."""

import iim
from iim.present.markdown import table_markdown
from iim.present.tables import Table
from iim.reporting.parts import KeyFigure
from iim.reporting.summary import SECTIONS


def quick(table, imputer="mean", **settings):
    """A summary without what takes time."""
    return iim.summarize(table, imputer, **{"measure": False, "n_jobs": 1, **settings})


def lead(summary):
    """The sentences at the top."""
    return [one for section in SECTIONS for one in section.top(summary) if isinstance(one, str)]


def key_figures(summary):
    """The figures at the top, by label."""
    every = [one for section in SECTIONS for one in section.top(summary)]
    return {one.label: one for one in every if isinstance(one, KeyFigure)}


def said(summary, key):
    """The paragraphs of a section."""
    return "\n".join(part for part in parts(summary, key) if isinstance(part, str))


def parts(summary, key):
    """All parts of a section."""
    (section,) = (section for section in SECTIONS if section.key == key)
    return list(section.show(summary))


def tables(summary, key):
    """The tables of a section that can be seen at once, by caption, as Markdown."""
    return {one.caption: table_markdown(one) for one in parts(summary, key) if isinstance(one, Table)}
