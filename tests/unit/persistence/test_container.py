"""One file: what is written comes back, and every damage is found before anything is read."""

import hashlib
import json
import os
import pickle
import re
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save

import iim
from hostile_files import write_container
from iim.persistence import container
from iim.persistence.container import read_container

CONTENT = {"method": "mean", "some": [1, None, 2.5, "text", {"a": True}]}
ARRAYS = {"b": np.arange(6.0).reshape(2, 3), "a.c": np.array([True, False]), "none": np.empty((0, 2))}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "model.iim"
    write_container(path, CONTENT, ARRAYS)
    return path


def sealed(data: bytes) -> bytes:
    """The bytes with the size and the checksum that they should have."""
    data = bytearray(data)
    at = data.index(b'checksum\\":\\"') + len(b'checksum\\":\\"')
    size_at = data.index(b'size\\":\\"') + len(b'size\\":\\"')
    data[size_at : size_at + 20] = b"%020d" % len(data)
    data[at : at + 64] = b"0" * 64
    data[at : at + 64] = hashlib.sha256(data).hexdigest().encode()
    return bytes(data)


def test_what_is_written_comes_back(path):
    content, arrays = read_container(path)
    assert {name: content[name] for name in CONTENT} == CONTENT
    assert content["version"] == container.FORMAT_VERSION == 2
    assert arrays.keys() == ARRAYS.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, ARRAYS[name], strict=True)
        assert array.flags.c_contiguous
        assert array.flags.aligned
        assert array.flags.writeable


def test_it_is_a_file_that_safetensors_reads(path):
    with safe_open(path, "numpy") as file:
        text = json.loads(file.metadata()["iim"])
        assert text["format"] == "iim model"
        assert text["method"] == "mean"
        np.testing.assert_array_equal(file.get_tensor("b"), ARRAYS["b"])


def test_the_same_model_is_the_same_file(path, tmp_path):
    write_container(tmp_path / "again.iim", CONTENT, dict(reversed(ARRAYS.items())))
    assert (tmp_path / "again.iim").read_bytes() == path.read_bytes()


def test_the_checksum_can_be_made_by_hand(path):
    assert sealed(path.read_bytes()) == path.read_bytes()


@pytest.mark.parametrize("bits", [0xFF, 1, 32], ids=hex)
def test_every_byte_counts(path, bits):
    sound = path.read_bytes()
    for at in range(len(sound)):
        path.write_bytes(sound[:at] + bytes([sound[at] ^ bits]) + sound[at + 1 :])
        with pytest.raises(iim.UnusableFile):
            read_container(path)


def test_every_bit_of_a_number_counts(path):
    sound = path.read_bytes()
    at = sound.index(struct.pack("<d", 5.0))
    for bit in range(64):
        damaged = bytearray(sound)
        damaged[at + bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        with pytest.raises(iim.UnusableFile, match="is damaged: wrong checksum"):
            read_container(path)


def test_no_part_passes_for_the_whole(path):
    sound = path.read_bytes()
    for size in range(1, len(sound)):
        path.write_bytes(sound[:size])
        expected = "is truncated: it has [0-9]+ bytes instead of" if size > 250 else "model.iim"
        with pytest.raises(iim.UnusableFile, match=expected):
            read_container(path)


def test_more_than_the_whole_is_told(path):
    sound = path.read_bytes()
    path.write_bytes(sound + b"\0")
    message = f"model.iim' is too long: it has {len(sound) + 1} bytes instead of {len(sound)}"
    with pytest.raises(iim.UnusableFile, match=message):
        read_container(path)


def write_zip(path):
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("model.iim", "x" * 1000)


@pytest.mark.parametrize(
    "write",
    [
        lambda path: path.write_bytes(pickle.dumps({"a": np.arange(99)})),
        lambda path: path.write_bytes(save({"a": np.arange(99)})),
        lambda path: path.write_bytes(b"\xff" * 1000),
        lambda path: path.write_text("a,b\n1,2\n" * 50),
        write_zip,
    ],
    ids=["pickle", "safetensors", "huge header", "csv", "zip"],
)
def test_another_kind_of_file_is_told(tmp_path, write):
    path = tmp_path / "model.iim"
    write(path)
    message = re.escape(f"The file {str(path)!r} is not a model that iim saved, or its start is damaged.")
    with pytest.raises(iim.UnusableFile, match=message):
        read_container(path)


def test_an_empty_file_is_told(tmp_path):
    (tmp_path / "model.iim").touch()
    with pytest.raises(
        iim.UnusableFile, match=r"model\.iim' is empty\. Give a file that `save` has written"
    ):
        read_container(tmp_path / "model.iim")


def test_no_file_and_a_folder_are_what_they_always_are(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_container(tmp_path / "model.iim")
    with pytest.raises((IsADirectoryError, PermissionError)):
        read_container(tmp_path)


def test_a_newer_version_is_told(path):
    data = path.read_bytes().replace(b'\\"version\\":2,', b'\\"version\\":7,')
    path.write_bytes(sealed(data))
    message = "has format version 7; this iim reads version 2. Update iim to load it"
    with pytest.raises(iim.UnusableFile, match=message):
        read_container(path)


def test_a_version_from_before_the_first_release_is_told(path):
    data = path.read_bytes().replace(b'\\"version\\":2,', b'\\"version\\":1,')
    path.write_bytes(sealed(data))
    with pytest.raises(iim.UnusableFile, match=r"has format version 1; .* Fit and save the model again"):
        read_container(path)


MANY = range(10**5, 10**6)

DENSE = {
    **{f"many {text}": f"[{','.join([text] * 10**6)}]" for text in ("[]", "{}", '{"a":1}', "[[]]", '"ab"')},
    "numbers": f"[{','.join(map(str, range(10_000, 99_999)))},".replace("[", "") * 20,
    "a set": f'{{"set":[{",".join(map(str, MANY))}]}}',
    "sets": '{"set":[]},' * 10**6,
    "keys": "{" + ",".join(f'"{number:05x}":1.5' for number in MANY) + "}",
}


@pytest.mark.parametrize("name", DENSE)
def test_what_would_take_far_more_memory_than_the_file_is_refused(name):
    data = DENSE[name].encode()
    with pytest.raises(ValueError, match="far more memory"):
        container.refuse_density(data, len(data))
    # The same as text within text.
    data = json.dumps(DENSE[name]).encode()
    with pytest.raises(ValueError, match="far more memory"):
        container.refuse_density(data, len(data))


def test_values_within_too_many_others_are_refused():
    for deep in (b"[" * 101 + b"]" * 101, b'{"a":' * 101 + b"0" + b"}" * 101):
        with pytest.raises(ValueError, match="nested more than 100 levels deep"):
            container.refuse_density(deep, len(deep))
    container.refuse_density(b"[" * 100 + b"]" * 100 + b",[]" * 1000, 4000)
    far = b"[" * 60 + b" " * 2**20 + b"[" * 60
    with pytest.raises(ValueError, match="nested more than 100 levels deep"):
        container.refuse_density(far, len(far))


def test_lists_cannot_be_hidden_from_the_count(path):
    # The text is text within JSON: a bracket can be written as its number.
    hidden = b'\\"more\\":[' + b"\\u005b\\u005d," * 10**6 + b"0],"

    def change(header):
        return header.replace(b'\\"version\\":2,', b'\\"version\\":2,' + hidden)

    path.write_bytes(with_header(change)(path.read_bytes()))
    with pytest.raises(iim.UnusableFile, match="far more memory"):
        read_container(path)


def with_header(change):
    """A file with a changed header and a valid checksum."""

    def make(data):
        length = int.from_bytes(data[:8], "little")
        header = change(data[8 : 8 + length])
        return sealed(len(header).to_bytes(8, "little") + header + data[8 + length :])

    return make


def test_a_newer_version_may_have_arrays_of_other_kinds(path):
    def change(header):
        return header.replace(b'\\"version\\":2', b'\\"version\\":3').replace(b"F64", b"Q77")

    path.write_bytes(with_header(change)(path.read_bytes()))
    with pytest.raises(iim.UnusableFile, match="has format version 3"):
        read_container(path)


def claiming(path, n_numbers):
    """Turn the file into one that is as large as it says, and has no bytes: they are a hole on the disk."""
    text = '{"format":"iim model","checksum":"%s","size":"%020d","version":2}'
    place = f'"a":{{"dtype":"F64","shape":[{n_numbers}],"data_offsets":[0,{8 * n_numbers}]}}}}'
    header = '{"__metadata__":{"iim":' + json.dumps(text % ("0" * 64, 0)) + "}," + place
    size = 8 + len(header) + 8 * n_numbers
    header = '{"__metadata__":{"iim":' + json.dumps(text % ("0" * 64, size)) + "}," + place
    with path.open("wb") as file:
        file.write(len(header).to_bytes(8, "little") + header.encode())
        file.truncate(size)


def test_more_than_any_memory_is_told(path):
    try:
        claiming(path, 2**40)
    except OSError:
        pytest.skip("this disk has no holes")
    with pytest.raises(iim.UnusableFile, match="there is not enough memory"):
        read_container(path)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="how much memory is used is read there")
def test_memory_is_not_filled_before_the_checksum_fits(path):
    claiming(path, 2**24)
    resource = pytest.importorskip("resource")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(iim.UnusableFile, match="wrong checksum"):
        read_container(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 30_000  # of 131,072 KiB


def test_a_file_that_changes_while_it_is_read_is_told(path, monkeypatch):
    check = container._check_sum

    def check_and_cut(file, shown):
        check(file, shown)
        os.truncate(path, path.stat().st_size - 8)

    monkeypatch.setattr(container, "_check_sum", check_and_cut)
    with pytest.raises(iim.UnusableFile, match="changed while it was read"):
        read_container(path)


HOSTILE = {
    "a header longer than the file": lambda data: sealed((10**18).to_bytes(8, "little") + data[8:]),
    "a header shorter than it is": lambda data: sealed((200).to_bytes(8, "little") + data[8:]),
    "no version": with_header(lambda header: header.replace(b'\\"version\\":2', b'\\"version\\":-')),
    "version 0": with_header(lambda header: header.replace(b'\\"version\\":2', b'\\"version\\":0')),
    "version as text": with_header(
        lambda header: header.replace(b'\\"version\\":2', b'\\"version\\":\\"1\\"')
    ),
    "NaN": with_header(lambda header: header.replace(b"2.5", b"NaN")),
    "a huge number": with_header(lambda header: header.replace(b"2.5", b"9" * 5000)),
    "deep lists": with_header(
        lambda header: header.replace(b"2.5", b"[" * 200_000 + b"]" * 200_000)
    ),
    "a shape that claims more": with_header(lambda header: header.replace(b"[2,3]", b"[2,4]")),
    "a huge shape": with_header(lambda header: header.replace(b"[2,3]", b"[999999999999,3]")),
    "a shape below zero": with_header(lambda header: header.replace(b"[2,3]", b"[-2,3]")),
    "endless empty rows": with_header(lambda header: header.replace(b"[0,2]", b"[0,9999999999]")),
    "a shape of other things": with_header(lambda header: header.replace(b"[2,3]", b"[2.,3.0]")),
    "offsets that overlap": with_header(lambda header: header.replace(b"[0,48]", b"[0,49]")),
    "no arrays where bytes are": with_header(lambda header: header[: header.index(b',"')] + b"}"),
    "an array outside": with_header(lambda header: header.replace(b"[0,48]", b"[8,56]")),
    "a kind of number that numpy lacks": with_header(lambda header: header.replace(b"F64", b"F8_E4M3", 1)),
    "not text": with_header(lambda header: header.replace(b"text", b"\xff\xfe\xff\xfe")),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_header_that_no_iim_has_written_is_told(path, name):
    sound = path.read_bytes()
    path.write_bytes(HOSTILE[name](sound))
    assert path.read_bytes() != sound
    with pytest.raises(iim.UnusableFile, match="has a valid checksum, but its content is invalid"):
        read_container(path)
