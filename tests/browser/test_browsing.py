"""The browser tells what the tests of pages ask it: otherwise they would pass whatever a page does."""

import pytest


@pytest.fixture
def open_text(page, tmp_path):
    def open_it(text, **how):
        path = tmp_path / "page.html"
        path.write_text(f"<!doctype html><html lang=en><title>A page</title>{text}", encoding="utf-8")
        page.open(path, **how)
        return path.as_uri()

    return open_it


@pytest.mark.parametrize("script", ["console.warn('beware')", "console.error('beware')", "beware()"])
def test_a_message_of_the_console_is_seen(page, open_text, script):
    open_text(f"<script>{script}</script>")
    (message,) = page.console()
    assert "beware" in message
    assert page.console() == []


# At a port of this machine that nobody listens at.
@pytest.mark.parametrize(
    "text",
    [
        "<img alt='' src='http://127.0.0.1:9/asked'>",
        "<link rel=stylesheet href='http://127.0.0.1:9/asked'>",
        "<img alt='' src='asked'>",
        "<script>fetch('http://127.0.0.1:9/asked').catch(() => {})</script>",
        "<style>body {background: url('http://127.0.0.1:9/asked')}</style>Hello",
    ],
)
def test_a_request_is_seen(page, open_text, text):
    address = open_text(text)
    first, *others = page.requests()
    assert first == address
    assert [url.rpartition("/")[2] for url in others] == ["asked"]


def test_scripts_can_be_switched_off(page, open_text):
    text = "<script>document.title = 'run'</script><noscript>No script</noscript>"
    open_text(text, scripts=False)
    assert page.run("return document.title") == "A page"
    assert page.run("return document.body.innerText").strip() == "No script"
    open_text(text)
    assert page.run("return document.title") == "run"


def test_contrast_is_that_of_the_text_and_all_behind_it(page, open_text):
    style = """
        :root {color-scheme: light dark} p {color: black}
        @media (prefers-color-scheme: dark) {p {color: white}}
        .grey {color: #767676} .veiled {background: rgb(0 0 0 / 50%); color: oklch(0 0 0)}
    """
    text = f"<style>{style}</style><p>plain<p class=grey>grey<div class=veiled><b>veiled</b></div>"
    open_text(text)
    # 4.54 is what is said of #767676 on white; half of black on white is #808080.
    assert page.contrasts("p, b") == pytest.approx({"plain": 21, "grey": 4.54, "veiled": 5.3}, abs=0.1)
    open_text(text, scheme="dark")
    assert page.contrasts("p")["plain"] > 15
    assert page.contrasts("p")["grey"] < 4.5
