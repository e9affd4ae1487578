"""The sections of the report, a module each: its data, its words, its tables and its pictures.

A module ends with its ``SECTION``; the list in :mod:`iim.reporting.summary` says which sections there are,
and in which order.
"""
