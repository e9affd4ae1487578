"""Examples in the pages are run when the pages are built: what they print is what the page shows."""

import doctest

from docutils import nodes
from sphinx.util import logging

FLAGS = doctest.NORMALIZE_WHITESPACE

logger = logging.getLogger(__name__)


def run_examples(app, doctree):
    """Run the sessions of a page in order, with shared names; warn of each that prints otherwise."""
    names = {}
    runner = doctest.DocTestRunner(verbose=False, optionflags=FLAGS)
    for block in doctree.findall(nodes.literal_block):
        if block.get("language") != "pycon":
            continue
        session = doctest.DocTestParser().get_doctest(block.astext(), names, app.env.docname, None, 0)
        report = []
        runner.run(session, out=report.append, clear_globs=False)
        names = session.globs
        if report:
            logger.warning("example fails:\n%s", "".join(report), location=block)


def setup(app):
    app.connect("doctree-read", run_examples)
    return {"parallel_read_safe": True}
