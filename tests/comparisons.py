"""Comparisons without a progress line, and records without times."""

from dataclasses import replace

import iim


def compare(table, methods=("mean", "knn"), **settings):
    return iim.compare(table, methods, **{"progress": False, **settings})


def timeless(records):
    """The records without what differs from run to run."""
    return [replace(record, fit_seconds=0.0, transform_seconds=0.0) for record in records]
