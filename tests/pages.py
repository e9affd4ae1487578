"""A page of HTML as tests look at it: tags in balance, what it refers to, what it shows."""

from html.parser import HTMLParser

VOID = {
    "area",
    "base",
    "br",
    "col",
    "embed",
    "hr",
    "img",
    "input",
    "link",
    "meta",
    "source",
    "track",
    "wbr",
}
OUTWARD = ("src", "srcset", "href", "action", "poster", "data", "formaction", "xlink:href", "background")


class Page(HTMLParser):
    """Reads a page; raises where an element is closed that is not open."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text_in: list[tuple[str, str]] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert len(attrs) == len(dict(attrs)), f"an attribute of {tag} appears twice"
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        assert self.open.count("svg"), f"{tag} closes itself outside a picture"
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"{tag} is closed, but not open; line {self.getpos()}"

    def handle_data(self, data):
        if self.open:
            self.text_in.append((self.open[-1], data))

    def all(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]

    def ids(self):
        return [attributes["id"] for _, attributes in self.tags if "id" in attributes]

    def references(self):
        """All that could make a browser ask for something, or leave the page."""
        return [attributes[name] for _, attributes in self.tags for name in OUTWARD if name in attributes]

    def text(self, *tags):
        return [text for tag, text in self.text_in if tag in tags]

    def shown(self):
        """What a reader sees."""
        return " ".join(text for tag, text in self.text_in if tag not in {"style", "script"})
