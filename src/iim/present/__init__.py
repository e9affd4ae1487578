"""Results as pages: one model of tables, three renderers.

::

    numbers, names ─► tables (Cell, Head, Table; a Page is paragraphs and tables)
                        ├─► terminal   text through rich: wrapped, aligned, names shortened
                        ├─► markdown   GitHub-flavoured
                        └─► html       a piece of HTML: notebooks, the report

Whoever has a result builds tables of cells, and knows nothing of pipes, escapes or widths. A cell holds its
text and, of a number, the value, so that a page can sort by it; names are kept apart from words.

Names of columns and methods are hostile input. A terminal shows a replacement character for what would
steer it or turn the direction of writing. Markdown and HTML write such letters out as escapes, so that
names that differ in nothing else stay apart; HTML also isolates each name from the direction of the text
around it.

Nothing here imports rich before a page is written for a terminal: that takes 50 ms.
"""
