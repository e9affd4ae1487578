"""The page on keeping a model says what is so."""

import doctest
import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "keeping.md"


def test_the_examples_of_the_page_print_what_it_shows():
    # As when the pages are built: one session after the other, with shared names.
    names, report = {}, []
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    for block in re.findall(r"```pycon\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL):
        session = doctest.DocTestParser().get_doctest(block, names, PAGE.name, None, 0)
        runner.run(session, out=report.append, clear_globs=False)
        names = session.globs
    names["folder"].cleanup()
    assert runner.tries > 10
    assert report == []
