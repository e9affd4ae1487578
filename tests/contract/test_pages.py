"""The examples of the pages print what they show."""

import doctest
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


# As at each build of the pages, with this environment's compiler and versions.
@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize(("page", "fewest"), [("persistence.md", 10), ("certainty.md", 20)])
def test_the_examples_of_the_page_print_what_it_shows(page, fewest):
    # As when the pages are built: one session after the other, with shared names.
    names, report = {}, []
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    for block in re.findall(r"```pycon\n(.*?)```", (DOCS / page).read_text("utf-8"), re.DOTALL):
        session = doctest.DocTestParser().get_doctest(block, names, page, None, 0)
        runner.run(session, out=report.append, clear_globs=False)
        names = session.globs
    if "folder" in names:
        names["folder"].cleanup()
    assert runner.tries > fewest
    assert report == []
