"""The sections of the report, a module each: its data, sentences, tables and pictures.

A module ends with its ``SECTION``. The list in :mod:`iim.reporting.summary` is the order of the sections.
"""
