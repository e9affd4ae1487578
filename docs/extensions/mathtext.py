"""Formulas as inline SVG, drawn by matplotlib when the pages are built.

The pages fetch nothing to show them; they take the colour of the text around them, and the source of a
formula is its label for those who cannot see it.
"""

from html import escape

from docutils import nodes
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.textpath import TextPath, text_to_path
from sphinx.util import logging

EM = 100.0
"""Units of the picture per em."""

MARGIN = 3.0
"""Room around a formula, in these units: glyphs may reach a little beyond their boxes."""

FONT = FontProperties(size=EM, math_fontfamily="stix")
COMMANDS = {Path.MOVETO: "M", Path.LINETO: "L", Path.CURVE3: "Q", Path.CURVE4: "C", Path.CLOSEPOLY: "Z"}

logger = logging.getLogger(__name__)


def draw(source):
    """A formula as an SVG element that stands on the baseline of the text around it."""
    text = f"${' '.join(source.split())}$"
    width, height, depth = text_to_path.get_text_width_height_descent(text, FONT, ismath=True)
    steps = []
    for numbers, code in TextPath((0, 0), text, prop=FONT).iter_segments(simplify=False):
        given = [] if code == Path.CLOSEPOLY else [f"{number:.5g}" for number in numbers]
        steps.append(COMMANDS[code] + " ".join(given))
    # The picture's y grows downwards, the path's upwards.
    left, top = -MARGIN, depth - height - MARGIN
    width, height, depth = width + 2 * MARGIN, height + 2 * MARGIN, depth + MARGIN
    style = f"width:{width / EM:.3f}em; height:{height / EM:.3f}em; vertical-align:{-depth / EM:.3f}em"
    return (
        f'<svg class="formula" role="img" aria-label="{escape(source.strip())}"'
        f' viewBox="{left:.5g} {top:.5g} {width:.5g} {height:.5g}" style="{style}">'
        f'<path transform="scale(1,-1)" fill="currentColor" d="{"".join(steps)}"/></svg>'
    )


def visit_inline(translator, node):
    translator.body.append(_drawn(node))
    raise nodes.SkipNode


def visit_block(translator, node):
    translator.body.append(f'<div class="formula">{_drawn(node)}</div>\n')
    raise nodes.SkipNode


def _drawn(node):
    try:
        return draw(node.astext())
    except ValueError as error:
        logger.warning("formula %r: %s", node.astext(), error, location=node)
        return f"<code>{escape(node.astext())}</code>"


def setup(app):
    app.add_html_math_renderer("mathtext", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
