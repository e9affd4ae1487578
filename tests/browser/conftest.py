"""One browser for all tests of a process; each test gets a page of it."""

import pytest

from browsing import Page, started_browser


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    with started_browser(tmp_path_factory.mktemp("browser")) as started:
        yield started


@pytest.fixture
def page(browser):
    return Page(browser)
