"""matplotlib's pictures as SVG that can stand in a page: imported here, when a picture is asked for.

What matplotlib writes names addresses, styles the page around it, and numbers its parts alike in every
picture. Here it becomes plain shapes and text with attributes only, so that a page may forbid everything
else, and so that the same picture gives the same bytes.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from iim.exceptions import MissingDependency

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PIXELS = 1.5
"""Of the page, for a point of the picture."""

INK, QUIET, GRID = "#1d2125", "#59626d", "#e6e8ea"
"""Colours of text, of axes, and of lines behind."""

RC: dict[str, Any] = {
    # Text stays text: files are small, and readers and searches find it.
    "svg.fonttype": "none",
    "svg.hashsalt": "iim",
    # It comes with matplotlib, so the layout is the same on every machine.
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 8.5,
    # Names are names: no formula in them.
    "text.parse_math": False,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": QUIET,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
}
"""Settings of matplotlib that differ from its own; those of the user are set aside."""

_LONG = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")
_FONT = re.compile(
    r"(?:(?P<style>italic|oblique) )?(?:(?P<weight>\d+|bold) )?(?P<size>[\d.]+px) (?P<family>.+)"
)
_USED = re.compile(r"url\(#(?P<id>[^)]+)\)")
_NAMESPACE = re.compile(r' xmlns="[^"]*"')
_TEXT_KEEPS_ITS_GLYPHS = "Glyph .* missing from"


@contextmanager
def drawing() -> Iterator[type[Figure]]:
    """The class of matplotlib's figures, to be made and written in here, under our settings.

    Raises
    ------
    MissingDependency
        If there is no matplotlib.
    """
    try:
        from matplotlib import style  # noqa: PLC0415 (an extra, and slow to load)
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ImportError as error:
        raise MissingDependency(
            "The plots of a reproduction need the package matplotlib, which is not installed. Install it "
            'with `pip install "iim[report]"`.'
        ) from error
    with style.context(["default", RC]), warnings.catch_warnings():
        # It would be drawn by the reader's fonts, which may have the letter.
        warnings.filterwarnings("ignore", _TEXT_KEEPS_ITS_GLYPHS)
        yield Figure


def check_drawing() -> None:
    """Refuse to begin without what plots are drawn with: nobody wants to hear of it after the work."""
    with drawing():
        pass


def written(figure: Figure, key: str, title: str, description: str) -> str:
    """The figure as an SVG file.

    Parameters
    ----------
    figure : matplotlib Figure
        The picture; in the context of :func:`drawing`.
    key : str
        Goes before all names within it, so that many can stand in one page.
    title, description : str
        For those who do not see it.

    Returns
    -------
    str
        The content of the file.
    """
    file = io.StringIO()
    figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    root = ET.fromstring(file.getvalue())  # noqa: S314 (written by matplotlib just now)
    # Browsers know a file of pictures by this name; nothing is asked for there.
    namespace = root.tag[1:].partition("}")[0]
    _strip(root)
    prefix = f"svg.{key}."
    _rename(root, prefix)
    width, height = (float(root.attrib.pop(name).removesuffix("pt")) for name in ("width", "height"))
    attributes = {
        "xmlns": namespace,
        "width": f"{PIXELS * width:.0f}",
        "height": f"{PIXELS * height:.0f}",
        "viewBox": root.attrib["viewBox"],
        "role": "img",
        "aria-labelledby": f"{prefix}title {prefix}desc",
        # What its style sheet said of everything.
        "stroke-linejoin": "round",
        "stroke-linecap": "butt",
    }
    root.attrib.clear()
    root.attrib.update(attributes)
    for at, (tag, text) in enumerate((("title", title), ("desc", description))):
        element = ET.Element(tag, {"id": prefix + tag})
        element.text = text
        root.insert(at, element)
    ET.indent(root, space="")
    return ET.tostring(root, encoding="unicode") + "\n"


def inlined(svg: str) -> str:
    """The picture for the middle of an HTML page, which knows what an ``svg`` is."""
    return _NAMESPACE.sub("", svg, count=1).strip()


def _strip(element: ET.Element) -> None:
    """Leave local names and attributes: no metadata, no style sheets, no styles, no long numbers."""
    element.tag = element.tag.rpartition("}")[2]
    for child in list(element):
        if child.tag.rpartition("}")[2] in {"metadata", "style"}:
            element.remove(child)
        else:
            _strip(child)
    for name, value in list(element.attrib.items()):
        if name == "style":
            del element.attrib[name]
            element.attrib.update(_attributes(value))
        elif name.endswith("}href"):
            element.attrib["href"] = element.attrib.pop(name)
        elif name != "id":
            element.attrib[name] = _short(" ".join(value.split()))


def _attributes(style: str) -> dict[str, str]:
    """A style as the attributes that say the same."""
    found: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in style.split(";"))):
        name, _, value = (piece.strip() for piece in part.partition(":"))
        font = _FONT.fullmatch(value) if name == "font" else None
        if font is None:
            found[name] = _short(value)
        else:
            found |= {f"font-{what}": said for what, said in font.groupdict().items() if said}
    return found


def _short(value: str) -> str:
    """Hundredths of a point are not seen; and beyond them machines may differ."""
    return _LONG.sub(lambda match: f"{round(float(match[0]), 2) + 0.0:g}", value)


def _rename(root: ET.Element, prefix: str) -> None:
    """Keep the names that are used, numbered in order: `prefix` makes them unique in a page."""
    used: dict[str, str] = {}
    for element in root.iter():
        href = [element.attrib["href"].removeprefix("#")] if "href" in element.attrib else []
        for name in href + [name for value in element.attrib.values() for name in _USED.findall(value)]:
            used.setdefault(name, f"{prefix}{len(used)}")
    for element in root.iter():
        name = element.attrib.pop("id", None)
        if name in used:
            element.attrib["id"] = used[name]
        if "href" in element.attrib:
            element.attrib["href"] = "#" + used[element.attrib["href"].removeprefix("#")]
        for attribute, value in list(element.attrib.items()):
            element.attrib[attribute] = _USED.sub(lambda match: f"url(#{used[match['id']]})", value)
