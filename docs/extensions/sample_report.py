"""The sample report is made when the pages are built, and lies beside them."""

import sys
from pathlib import Path

NAME = "sample-report.html"


def write_sample(app, error):
    if error is None and app.builder.format == "html":
        sys.path.insert(0, str(Path(app.srcdir) / "pictures"))
        from sample_report_of_sensors import write  # noqa: PLC0415 (found on the line above)

        write(Path(app.outdir) / NAME)


def setup(app):
    app.connect("build-finished", write_sample)
    return {"parallel_read_safe": True}
