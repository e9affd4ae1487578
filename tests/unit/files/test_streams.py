"""Bytes in and out: what is at a path decides whether it is replaced or written to."""

import gzip
import io
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from iim.files.streams import NotWritten, Opened, Output

POSIX = pytest.mark.skipif(
    sys.platform == "win32", reason="paths of open files, pipes and devices are POSIX's"
)


def write(path, data=b"new\n", stdout=None):
    with Output(str(path), stdout or io.BytesIO()) as output:
        output.write(data)
        output.commit()


@POSIX
@pytest.mark.parametrize("path", ["/dev/fd/{}", "/proc/self/fd/{}", "/proc/{pid}/fd/{}", "link"])
def test_an_open_file_of_this_process_is_written_to_and_never_replaced(path, tmp_path):
    if path.startswith("/proc") and not Path("/proc/self/fd").exists():
        pytest.skip("this system has no /proc")
    log = tmp_path / "log.csv"
    log.write_bytes(b"old\n")
    before = log.stat().st_ino
    with log.open("ab") as file:
        place = path.format(file.fileno(), pid=os.getpid())
        if path == "link":
            place = str(tmp_path / "link")
            Path(place).symlink_to(f"/dev/fd/{file.fileno()}")
        write(place)
        # It stays open: whoever opened it may have more to write.
        file.write(b"more\n")
    assert log.read_bytes() == b"old\nnew\nmore\n"
    assert log.stat().st_ino == before


@POSIX
@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_what_standard_output_is_added_to_keeps_what_it_holds(name, tmp_path):
    log = tmp_path / "log.csv"
    log.write_bytes(b"old\n")
    code = (
        "import io; from iim.files.streams import Output\n"
        f"with Output('/dev/{name}', io.BytesIO()) as output: output.write(b'new'); output.commit()"
    )
    with log.open("ab") as file:
        subprocess.run([sys.executable, "-c", code], check=True, **{name: file})
    assert log.read_bytes() == b"old\nnew"


@POSIX
def test_a_closed_descriptor_is_an_error_of_writing():
    with pytest.raises(NotWritten, match="Bad file descriptor"):
        write("/dev/fd/987")


@POSIX
def test_pipes_and_devices_get_bytes_as_they_come(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write(pipe)
    reader.join(10)
    assert read == [b"new\n"]
    write("/dev/null")
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


@POSIX
def test_a_link_stays_and_its_file_is_replaced(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"old")
    (tmp_path / "link.csv").symlink_to("t.csv")
    write(tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "t.csv").read_bytes() == b"new\n"


def test_without_commit_nothing_is_left(tmp_path):
    with Output(str(tmp_path / "t.csv.gz"), io.BytesIO()) as output:
        output.write(b"half")
    assert list(tmp_path.iterdir()) == []


class Slow(io.RawIOBase):
    """A pipe that hands out a byte at a time, and cannot jump."""

    def __init__(self, data):
        self._data = io.BytesIO(data)

    def readable(self):
        return True

    def readinto(self, buffer):
        part = self._data.read(1)
        buffer[: len(part)] = part
        return len(part)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_pipes_give_all_bytes_however_few_come_at_a_time(pack):
    data = b"a,b\n1,2\n" * 100
    with Opened("-", io.BufferedReader(Slow(pack(data)))) as opened:
        assert opened.is_packed == (pack is gzip.compress)
        assert opened.head(10) == data[:10]
        assert opened.fraction() == 0.0
        assert opened.read(5000) == data
        assert opened.read(1) == b""


@pytest.mark.parametrize("data", [b"", b"\x1f"])
def test_files_shorter_than_what_tells_that_they_are_packed(data):
    with Opened("-", io.BytesIO(data)) as opened:
        assert opened.rest() == data
