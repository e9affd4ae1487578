"""Two published comparisons on tables with holes in every column, run again with our methods.

Their errors are printed in papers; ours are measured by the same protocol, on other draws of the holes::

    suites.py    the comparisons: tables, protocols, printed errors
    scoring.py   records to ratios and ranks
    layout.py    tables for the terminal and for the pages
    commands.py  the command line

Settings are chosen on the tables that a suite names for choosing; the others are for reporting. The data
sets and the printed errors are read from the folder that IIM_DATA names when trials are run. Records keep
the printed errors, so scores and pages are made without it.
"""
