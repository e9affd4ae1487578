"""Shared by the benchmarks that fill holed tables: methods by name, trials, and records that resume.

A *trial* is a holed table, drawn from a seed, filled by one method. Its record is one line of a JSON Lines
file, so tables of results are made from records only, and what has a record is not run again::

    methods.py    the methods by name; a further setting of IIM is a further row
    records.py    the files of records
    running.py    trials without a record are run
    averages.py   records to errors: means over seeds
    tables.py     rows of text for the terminal and for Markdown pages
    blocks.py     the marked blocks of Markdown pages that the commands write
    commands.py   the command line: options that benchmarks share
"""
