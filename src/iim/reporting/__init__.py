"""A page that answers at a glance: what was missing, what was filled, how sure, how good.

::

    table ─► findings: fills, candidates, diagnosis, comparison
          ─► summary: plain data, a part of it from each of the sections
          ─► page (HTML), text (Markdown), JSON

A section is a module of ``sections``: its data, its words, its tables and its pictures. What it shows are
``parts``, which ``page`` and ``text`` render; ``marks`` draw pictures. To add a section, write its module,
and put it into the list in ``summary``.
"""

from __future__ import annotations

from iim.reporting.findings import Origin
from iim.reporting.reports import Report, report, summarize
from iim.reporting.summary import Summary

__all__ = ["Origin", "Report", "Summary", "report", "summarize"]
