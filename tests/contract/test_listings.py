"""Listings of all methods are those of the registry."""

import pytest

from listings import LISTINGS, ROOT


@pytest.mark.parametrize("name", LISTINGS)
def test_a_listing_is_as_the_registry_has_it(name):
    text = (ROOT / name).read_text("utf-8")
    assert LISTINGS[name](text) == text, (
        "The methods or the public names changed. If that is meant, tell users in CHANGELOG.md and renew "
        "the listings: make listings"
    )


@pytest.mark.parametrize("name", LISTINGS)
def test_a_listing_that_lacks_a_method_is_noticed(name):
    text = (ROOT / name).read_text("utf-8")
    without = "".join(line for line in text.splitlines(keepends=True) if "KnneImputer" not in line)
    assert without != text
    assert LISTINGS[name](without) == text
