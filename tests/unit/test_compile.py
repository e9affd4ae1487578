from types import SimpleNamespace

import pytest
from numba.core import event

from iim import compile as ahead
from iim.kernels.compiling import COMPILE


def begin_compiling(module: str, folder: str | None) -> None:
    kernel = SimpleNamespace(
        py_func=SimpleNamespace(__module__=module), stats=SimpleNamespace(cache_path=folder)
    )
    event.start_event(COMPILE, data={"dispatcher": kernel})
    event.end_event(COMPILE, data={"dispatcher": kernel})


@pytest.mark.parametrize(("folder", "line"), [("somewhere", ahead.ONCE), (None, ahead.EACH_TIME)])
def test_the_first_kernel_is_told_of_and_no_other(folder, line):
    told = []
    with ahead.tell_of_compiling(told.append):
        begin_compiling("numba.np.arrayobj", None)
        begin_compiling("somebody.kernels", None)
        assert told == []
        begin_compiling("iim.kernels.learn", folder)
        begin_compiling("iim.kernels.votes", folder)
    begin_compiling("iim.kernels.votes", folder)
    assert told == [line]


def test_an_error_ends_the_listening():
    told = []
    with pytest.raises(RuntimeError), ahead.tell_of_compiling(told.append):
        raise RuntimeError
    begin_compiling("iim.kernels.learn", None)
    assert told == []


def test_it_says_what_was_compiled(capsys):
    ahead.main()
    assert capsys.readouterr().out.startswith("Kernels compiled: ")
