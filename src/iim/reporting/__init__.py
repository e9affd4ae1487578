"""The report: what was missing, what was filled, how certain the fills are, how large errors are.

::

    table ─► findings: fills, candidates, diagnosis, comparison
          ─► summary: plain data, one part for each section
          ─► page (HTML), text (Markdown), JSON

A section is a module of ``sections``: its data, sentences, tables and pictures. It yields ``parts``, which
``page`` and ``text`` render; ``marks`` draw pictures. To add a section, write its module and add it to the
list in ``summary``.
"""

from __future__ import annotations

from iim.reporting.findings import Origin
from iim.reporting.reports import Report, report, summarize
from iim.reporting.summary import Summary

__all__ = ["Origin", "Report", "Summary", "report", "summarize"]
