"""The accuracy benchmark: how close imputers come to cells that were hidden from them.

A *run* is data set x pattern of holes x seed x method; its raw record has an error for every attribute.
A *task* is data set x attribute x pattern; its error is the median over seeds. All numbers of the report
are computed from raw records::

    tables.py      data sets, halves of rows, patterns of holes
    contenders.py  the methods: ours, scikit-learn's, and packages that need not be installed (peers.py)
    measuring.py   one run: fill, time, score
    running.py     many runs, in processes that can be stopped; what has a record is not run again
    scoring.py     records to tasks, means, ranks and paired comparisons
    ablation.py    the default with one improvement switched off at a time
    targets.py     what must hold, and what was measured
    layout.py      all of it as Markdown and CSV
    commands.py    the command line; a new sub-command is a row of its table

Development and final runs hide cells of different rows, and some tables are met in final runs only:
no choice is made on the numbers that are reported.
"""
