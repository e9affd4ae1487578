"""The picture of a report in the README: ``python docs/pictures/report_screenshot.py`` makes it anew.

It is made by hand, not with the pages, because it needs Chromium (see CONTRIBUTING).
"""

import sys
import tempfile
from pathlib import Path

from sample_report_of_sensors import write

DOCS = Path(__file__).resolve().parents[1]
WIDTH, HEIGHT = 1060, 1180

sys.path.insert(0, str(DOCS.parent / "tests"))

from browsing import Page, started_browser  # noqa: E402 - it is with the tests

with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "report.html"
    write(file)
    with started_browser(Path(folder)) as browser:
        page = Page(browser)
        page.open(file, width=WIDTH)
        (DOCS / "_static" / "report.png").write_bytes(page.picture(height=HEIGHT))
