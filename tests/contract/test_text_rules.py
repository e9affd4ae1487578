"""What no file of the repository holds: places of one machine, addresses of registries, drawers."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# From pieces, so that this file does not hold them either.
FOLDERS = ["wo" + "rk", "ro" + "ot", "fa" + "rm", "ho" + "me", "op" + "t"]
REGISTRIES = [
    "py" + "pi.org",
    "py" + "pi.python.org",
    "python" + "hosted.org",
    "ana" + "conda.org",
    "npm" + "js.org",
]
FORBIDDEN = [
    # An absolute path: after "file://", or where it is not the middle of another path or address.
    re.compile(rf"(?:(?<=://)|(?<![\w./~)}}$-]))/({'|'.join(FOLDERS)})(?![\w-])"),
    re.compile("|".join(map(re.escape, REGISTRIES)), re.IGNORECASE),
]
DRAWERS = {"utils.py", "helpers.py", "common.py", "misc.py"}


def forbidden_lines(text: str) -> list[int]:
    """Numbers of the lines that hold something forbidden."""
    return [
        number
        for number, line in enumerate(text.splitlines(), start=1)
        if any(pattern.search(line) for pattern in FORBIDDEN)
    ]


@pytest.fixture(scope="module")
def repository_files() -> list[Path]:
    """Files that are in the repository or would be added to it."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not in a git checkout, so what belongs to the repository is not known")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    files = [ROOT / name for name in listed.stdout.split("\0") if name]
    assert ROOT / "pyproject.toml" in files
    # A file that was deleted but not yet from the index is still listed.
    return [path for path in files if path.is_file()]


def test_no_file_names_a_place_of_one_machine_or_a_registry(repository_files):
    found = []
    for path in repository_files:
        content = path.read_bytes()
        if b"\0" not in content:
            lines = forbidden_lines(content.decode("utf-8"))
            found += [f"{path.relative_to(ROOT)}:{number}" for number in lines]
    assert found == []


def test_there_is_no_drawer(repository_files):
    assert [path for path in repository_files if path.name in DRAWERS] == []


def test_what_is_forbidden_is_found_and_other_paths_are_left_in_peace():
    folder, registry = FOLDERS[0], REGISTRIES[0]
    assert forbidden_lines(f"fine\nPATH=/{folder}:$PATH\nfile:///{folder}/x") == [2, 3]
    assert forbidden_lines(f"fine\nhttps://{registry}/simple") == [2]
    assert forbidden_lines(f"./{folder} docs/{folder}/x /{folder}ed https://{folder}.example") == []
