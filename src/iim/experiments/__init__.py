"""The paper's experiments: every table and every figure, ours beside theirs.

Three steps that never mix::

    plan ─► tasks ─► run: raw records, one file each ─► score: tables and figures ─► layout: the page

``datasets`` reads or makes the data. Each table or figure of the paper is one module of ``paper``: which tasks
it needs, as data, and how their records become numbers beside the published ones. ``running`` does the tasks
that have no record yet, so an interrupted run goes on where it stopped. ``layout`` turns plain results into
Markdown, HTML and plots, and knows nothing of how they came about.
"""
