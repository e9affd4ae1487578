"""A page in a real browser: headless Chromium, driven over loopback, with nothing downloaded for it."""

import base64
import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from selenium.webdriver import ActionChains, Chrome, ChromeOptions, ChromeService

PROGRAMS = ("chromium", "chromedriver")
"""What Debian's packages chromium and chromium-driver bring."""

FLAGS = (
    "--headless=new",
    "--no-sandbox",  # which does not work for the administrator of a container
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-proxy-server",
    "--force-color-profile=srgb",
    "--hide-scrollbars",  # as on a phone: they take no room
)

PATIENCE = 120
"""Seconds for a page to open, or for a script to end; far above what any needs."""

CONTRAST = """
const pixel = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
function rgba(color) {
  pixel.clearRect(0, 0, 1, 1);
  pixel.fillStyle = color;
  pixel.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = pixel.getImageData(0, 0, 1, 1).data;
  return [r, g, b, a / 255];
}
function over(front, back) {
  const mixed = [0, 1, 2].map((i) => front[i] * front[3] + back[i] * (1 - front[3]));
  return [...mixed, 1];
}
function behind(element) {
  // Backgrounds of the element and of all that it stands in, down to the paper.
  const layers = [];
  for (let at = element; at; at = at.parentElement) layers.push(rgba(getComputedStyle(at).backgroundColor));
  return layers.reverse().reduce((back, front) => over(front, back), paper);
}
function colorOfPaper() {
  const sheet = document.documentElement.appendChild(document.createElement("span"));
  sheet.style.color = "Canvas";
  const color = rgba(getComputedStyle(sheet).color);
  sheet.remove();
  return color;
}
function luminance(color) {
  const [r, g, b] = color.slice(0, 3).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
const paper = colorOfPaper();
return [...document.querySelectorAll(arguments[0])].map((element) => {
  const back = behind(element);
  const text = over(rgba(getComputedStyle(element).color), back);
  const [dark, light] = [luminance(text), luminance(back)].sort((a, b) => a - b);
  return [element.textContent.trim().slice(0, 40), (light + 0.05) / (dark + 0.05)];
});
"""
"""Contrast of text and what is behind it, after WCAG 2: from 1, not to be seen, to 21, black on white."""


def find_programs() -> list[str]:
    """Paths of the browser and its driver; skips the test that asks if there are none."""
    paths = [shutil.which(program) for program in PROGRAMS]
    if None in paths:
        lacking = " and ".join(name for name, path in zip(PROGRAMS, paths, strict=True) if path is None)
        pytest.skip(f"{lacking} not found: install chromium and chromium-driver to run this test")
    return paths


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of a folder, over loopback, for a while."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def started_browser(folder: Path) -> Iterator[Chrome]:
    """A browser with a new profile in an empty folder, ended together with its driver."""
    browser, driver = find_programs()
    options = ChromeOptions()
    options.binary_location = browser
    for flag in (*FLAGS, f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    with pytest.MonkeyPatch.context() as patch:
        # A proxy of the environment is for other machines, the driver is on this one.
        patch.setenv("no_proxy", "localhost,127.0.0.1,::1")
        # With its path named, selenium looks for no driver elsewhere, and downloads none.
        service = ChromeService(executable_path=driver, env={**os.environ, "HOME": str(folder)})
        session = Chrome(options=options, service=service)
        try:
            session.set_page_load_timeout(PATIENCE)
            session.set_script_timeout(PATIENCE)
            yield session
        finally:
            session.quit()


class Page:
    """A file shown in the browser, and what the browser says of it."""

    def __init__(self, browser: Chrome):
        self._browser = browser

    def open(
        self, path: Path, *, scripts: bool = True, scheme: str = "light", media: str = "", width: int = 1200
    ) -> None:
        """Open a file: with scripts or without, in a color scheme, for a medium, at a width in pixels."""
        # Of a file that is not there, the browser shows a page of its own without a word.
        address = path.resolve(strict=True).as_uri()
        self.visit(address, scripts=scripts, scheme=scheme, media=media, width=width)

    def visit(
        self,
        address: str,
        *,
        scripts: bool = True,
        scheme: str = "light",
        media: str = "",
        width: int = 1200,
    ) -> None:
        """The same for an address, of this machine."""
        self._send("Emulation.setScriptExecutionDisabled", value=not scripts)
        self._send(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False
        )
        self.show_as(scheme=scheme, media=media)
        self._browser.get("about:blank")
        self.console(), self.requests()  # of the page before
        self._browser.get(address)

    @contextmanager
    def inside(self, selector: str) -> Iterator[None]:
        """Look into a frame of the page, for a while."""
        self._browser.switch_to.frame(self._browser.find_element("css selector", selector))
        try:
            yield
        finally:
            self._browser.switch_to.default_content()

    def click(self, selector: str) -> None:
        """Click what a selector finds first."""
        self._browser.find_element("css selector", selector).click()

    def show_as(self, *, scheme: str = "light", media: str = "") -> None:
        """Change color scheme and medium of the open page."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self._send("Emulation.setEmulatedMedia", media=media, features=features)

    def run(self, script: str, *arguments: Any) -> Any:
        """What a script returns that is run in the page."""
        return self._browser.execute_script(script, *arguments)

    def all(self, selector: str, script: str) -> list[Any]:
        """What an expression says of each ``element`` that a selector finds."""
        return self.run(
            f"return [...document.querySelectorAll(arguments[0])].map((element) => {script})", selector
        )

    def unfold(self) -> None:
        """Open all that is folded."""
        self.all("details", "element.open = true")

    def contrasts(self, selector: str) -> dict[str, float]:
        """Contrasts of what a selector finds, by the beginning of its text; of equal texts the worst."""
        found: dict[str, float] = {}
        for text, contrast in self.run(CONTRAST, selector):
            found[text] = min(contrast, found.get(text, contrast))
        return found

    def press(self, *keys: str) -> None:
        """Press keys, one after another, wherever the focus is."""
        actions = ActionChains(self._browser)
        for key in keys:
            actions.send_keys(key)
        actions.perform()

    def console(self) -> list[str]:
        """Messages of the console that are warnings or worse, since it was last asked."""
        entries = self._browser.get_log("browser")
        return [entry["message"] for entry in entries if entry["level"] in {"WARNING", "SEVERE"}]

    def requests(self) -> list[str]:
        """Addresses that the page asked for, since they were last asked for; without those inside of it."""
        events = [json.loads(entry["message"])["message"] for entry in self._browser.get_log("performance")]
        sent = [event["params"] for event in events if event["method"] == "Network.requestWillBeSent"]
        urls = [params["request"]["url"] for params in sent]
        urls += [
            event["params"]["url"] for event in events if event["method"] == "Network.webSocketCreated"
        ]
        return [url for url in urls if not url.startswith(("data:", "about:"))]

    def picture(self, *, height: int | None = None) -> bytes:
        """A PNG of the whole page, or of its upper part."""
        size = self._send("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": height or size["height"], "scale": 1}
        shot = self._send("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        return base64.b64decode(shot["data"])

    def n_printed(self) -> int:
        """Sheets of paper that the page takes in print."""
        printed = self._send("Page.printToPDF", printBackground=True, preferCSSPageSize=True)
        return len(re.findall(rb"/Type\s*/Page\b", base64.b64decode(printed["data"])))

    def _send(self, command: str, **parameters: Any) -> dict[str, Any]:
        return self._browser.execute_cdp_cmd(command, parameters)
