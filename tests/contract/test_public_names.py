"""The public surface, held by a listing: `python tests/contract/test_public_names.py --write` renews it."""

import inspect
import sys
from pathlib import Path

import iim

LISTING = Path(__file__).with_name("public_names.txt")


def parameter_lines(function) -> list[str]:
    """Parameters in order, as they are written in a call; `*` before those that need their name."""
    lines = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in lines:
            lines.append("*")
        lines.append(str(parameter.replace(annotation=parameter.empty)))
    return lines


def member_line(name: str) -> str:
    member = inspect.getattr_static(iim.IIMImputer, name)
    # What scikit-learn gives us may get new arguments; only its names are ours to hold.
    if inspect.isfunction(member) and member.__module__.startswith("iim."):
        return f"{name}({', '.join(parameter_lines(member)[1:])})"
    return name


def fitted_attributes() -> list[str]:
    imputer = iim.IIMImputer().fit(iim.samples.example("pandas"))
    return [name for name in vars(imputer) if name.endswith("_") and not name.startswith("_")]


def public_names() -> str:
    sections = {
        "iim": sorted(iim.__all__),
        "iim.METHODS": sorted(f"{key}: {method.__name__}" for key, method in iim.METHODS.items()),
        "iim.PAPER": [f"{name}: {value!r}" for name, value in iim.PAPER.items()],
        "parameters of iim.IIMImputer": parameter_lines(iim.IIMImputer),
        "members of iim.IIMImputer": [
            member_line(name) for name in dir(iim.IIMImputer) if not name.startswith("_")
        ],
        "attributes of a fitted iim.IIMImputer": sorted(fitted_attributes()),
    }
    return "\n".join(
        f"{title}\n" + "".join(f"    {line}\n" for line in lines) for title, lines in sections.items()
    )


def test_public_names_are_those_of_the_listing():
    assert public_names() == LISTING.read_text("utf-8"), (
        "The public names changed. If that is meant, tell users in CHANGELOG.md and renew the listing:\n"
        "    python tests/contract/test_public_names.py --write"
    )


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python tests/contract/test_public_names.py --write")
    LISTING.write_text(public_names(), "utf-8")
