"""Saving while something goes wrong: the old file or none, never half of one."""

import os
import stat
import sys
from pathlib import Path

import numpy as np
import pytest

import iim
from iim.persistence import atomic

TABLE = np.array([[1.0, np.nan], [2.0, 4.0], [3.0, 5.0]])


@pytest.fixture
def imputer():
    return iim.MeanImputer().fit(TABLE)


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def failing(error):
    """A step of writing that does not come to its end."""

    def fail(*_):
        raise error

    return fail


STEPS = [(os, "fsync"), (Path, "chmod"), (Path, "replace")]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")], ids=repr)
@pytest.mark.parametrize(("owner", "step"), STEPS, ids=[step for _, step in STEPS])
def test_what_ends_a_save_early_leaves_the_old_file(imputer, tmp_path, monkeypatch, owner, step, error):
    path = tmp_path / "model.iim"
    iim.KnnImputer().fit(TABLE).save(path)
    before = path.read_bytes()
    monkeypatch.setattr(owner, step, failing(error))
    with pytest.raises(type(error)):
        imputer.save(path)
    monkeypatch.undo()
    assert files(tmp_path) == ["model.iim"]
    assert path.read_bytes() == before
    assert isinstance(iim.load(path), iim.KnnImputer)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")], ids=repr)
def test_what_ends_a_first_save_early_leaves_nothing(imputer, tmp_path, monkeypatch, error):
    monkeypatch.setattr(os, "fsync", failing(error))
    with pytest.raises(type(error)):
        imputer.save(tmp_path / "model.iim")
    monkeypatch.undo()
    assert files(tmp_path) == []


def test_a_folder_in_the_way_is_told_and_stays(imputer, tmp_path):
    (tmp_path / "model.iim").mkdir()
    with pytest.raises(OSError, match=r"model\.iim"):
        imputer.save(tmp_path / "model.iim")
    assert files(tmp_path) == ["model.iim"]
    assert files(tmp_path / "model.iim") == []


def test_a_folder_that_is_not_there_is_told(imputer, tmp_path):
    with pytest.raises(FileNotFoundError):
        imputer.save(tmp_path / "absent" / "model.iim")
    assert files(tmp_path) == []


@pytest.mark.parametrize(
    "name", ["m" * 250, "\u00fc" * 120, "\u6a21" * 80], ids=["m", "two bytes", "three"]
)
def test_a_long_name_is_no_obstacle(imputer, tmp_path, name):
    path = tmp_path / f"{name}.iim"
    imputer.save(path)
    assert files(tmp_path) == [path.name]


@pytest.mark.parametrize("kind", [str, Path])
def test_a_path_is_text_or_a_path(imputer, tmp_path, kind):
    imputer.save(kind(tmp_path / "model.iim"))
    assert isinstance(iim.load(kind(tmp_path / "model.iim")), iim.MeanImputer)


@pytest.mark.skipif(os.name != "posix", reason="permissions and links are those of POSIX")
def test_permissions_and_links_stay(imputer, tmp_path):
    path, link = tmp_path / "model.iim", tmp_path / "link.iim"
    imputer.save(path)
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask
    path.chmod(0o640)
    link.symlink_to(path)
    imputer.save(link)
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert files(tmp_path) == ["link.iim", "model.iim"]


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
def test_a_private_file_is_private_while_it_is_written(imputer, tmp_path, monkeypatch):
    path = tmp_path / "model.iim"
    imputer.save(path)
    path.chmod(0o600)
    seen = []
    fsync = os.fsync

    def look(number):
        seen.append(stat.S_IMODE(os.fstat(number).st_mode))
        fsync(number)

    monkeypatch.setattr(os, "fsync", look)
    imputer.save(path)
    path.chmod(0o644)
    imputer.save(path)
    assert seen == [0o600, 0o600]
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


@pytest.mark.skipif(os.name != "posix", reason="such paths are POSIX's")
def test_what_an_open_file_is_added_to_is_not_replaced(imputer, tmp_path):
    log = tmp_path / "models.iim"
    log.write_bytes(b"old")
    with log.open("ab") as file, pytest.raises(OSError, match=r"An open file of this process.*/dev/fd/"):
        imputer.save(f"/dev/fd/{file.fileno()}")
    assert log.read_bytes() == b"old"
    assert files(tmp_path) == ["models.iim"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are POSIX's")
def test_a_pipe_is_neither_replaced_nor_waited_for(imputer, tmp_path):
    path = tmp_path / "pipe.iim"
    os.mkfifo(path)
    with pytest.raises(OSError, match=r"Not a regular file.*pipe\.iim"):
        imputer.save(path)
    assert stat.S_ISFIFO(path.stat().st_mode)
    with pytest.raises(iim.UnusableFile, match="is a pipe or a device"):
        iim.load(path)
    if Path("/dev/null").exists():
        with pytest.raises(iim.UnusableFile, match="is a pipe or a device"):
            iim.load("/dev/null")
    assert files(tmp_path) == ["pipe.iim"]


@pytest.mark.skipif(os.name != "posix", reason="links are those of POSIX")
def test_links_that_lead_nowhere(imputer, tmp_path):
    (tmp_path / "loop.iim").symlink_to(tmp_path / "loop.iim")
    with pytest.raises(OSError, match=r"loop\.iim"):
        imputer.save(tmp_path / "loop.iim")
    (tmp_path / "later.iim").symlink_to(tmp_path / "model.iim")
    imputer.save(tmp_path / "later.iim")
    assert files(tmp_path) == ["later.iim", "loop.iim", "model.iim"]
    assert (tmp_path / "loop.iim").is_symlink()


@pytest.mark.parametrize("path", ["", "~/model.iim", "absent/model.iim"])
def test_errors_name_the_file_that_was_named(imputer, tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OSError, match=r"\[Errno") as caught:
        imputer.save(path)
    assert caught.value.filename == path
    assert files(tmp_path) == []


def test_two_who_save_at_once_do_not_meet(tmp_path, monkeypatch):
    path = tmp_path / "model.iim"
    replace = Path.replace

    def save_in_between(self, target):
        monkeypatch.undo()
        atomic.replace_file(path, [b"sec", b"ond"])
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", save_in_between)
    atomic.replace_file(path, [b"first"])
    assert path.read_bytes() == b"first"
    assert files(tmp_path) == ["model.iim"]


FITTED = """
import errno, os
from pathlib import Path
import numpy as np
import iim

table = np.random.default_rng(0).normal(size=(400, 5))
table[::7, 0] = np.nan
imputer = iim.KnnImputer().fit(table)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a limit on the size of files is POSIX's")
def test_a_full_disk_leaves_the_old_file(run_python):
    shown = run_python(
        FITTED
        + """
import resource, signal

iim.MeanImputer().fit(table).save("model.iim")
before = Path("model.iim").read_bytes()
# The write fails, and with the signal ignored it does so as on a full disk.
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
for name in ("model.iim", "new.iim"):
    try:
        imputer.save(name)
    except OSError as error:
        print(errno.errorcode[error.errno], sorted(os.listdir(".")))
assert Path("model.iim").read_bytes() == before
iim.load("model.iim").transform(table)
"""
    )
    assert shown.splitlines() == ["EFBIG ['model.iim']"] * 2


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are POSIX's")
def test_a_folder_that_cannot_be_written_is_told(run_python, tmp_path):
    folder = tmp_path / "shut"
    folder.mkdir()
    iim.MeanImputer().fit(TABLE).save(folder / "model.iim")
    (folder / "secret.iim").touch(0o000)
    folder.chmod(0o555)
    try:
        shown = run_python(
            FITTED
            + f"""
imputer.transform(table)
os.chdir({str(folder)!r})
if os.getuid() == 0:
    # The superuser may write everywhere.
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
reached = os.access(".", os.R_OK | os.X_OK)
for attempt in (lambda: imputer.save("model.iim"), lambda: imputer.save("new.iim"),
                lambda: iim.load("secret.iim")):
    try:
        attempt()
    except PermissionError:
        print("PermissionError")
print(reached, sorted(os.listdir(".")) if reached else "")
"""
        )
    finally:
        folder.chmod(0o755)
    if shown.splitlines()[-1].startswith("False"):
        pytest.skip("a user who is not root cannot reach the folder of the test")
    assert shown.splitlines() == ["PermissionError"] * 3 + ["True ['model.iim', 'secret.iim']"]
    assert iim.load(folder / "model.iim").means_.tolist() == [2.0, 4.5]
