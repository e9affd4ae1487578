"""Results as pages: one model of tables, three renderers.

::

    numbers, names ─► tables (Cell, Head, Table; a Page is paragraphs and tables)
                        ├─► terminal   text through rich: wrapped, aligned, names shortened
                        ├─► markdown   GitHub-flavoured
                        └─► html       a piece of HTML: notebooks, the report

Results build tables of cells; only renderers handle pipes, escapes and widths. A cell holds its text and,
for a number, its value, so that a page can sort by it. Names are kept apart from words.

Names of columns and methods are untrusted input. A terminal shows a replacement character for control
characters and changes of text direction. Markdown and HTML write them as escapes, so that names that differ
only there stay distinct. HTML also isolates the text direction of each name.

rich is imported when a page is written for a terminal: that takes 50 ms.
"""
