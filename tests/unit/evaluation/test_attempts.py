"""One try: what came of it, how long each step took, what was warned of, what went wrong."""

import warnings

import pytest

from iim.evaluation.attempts import attempt


def test_each_step_gets_what_the_one_before_returned(monkeypatch):
    clock = iter([0.0, 1.0, 1.0, 4.0])
    monkeypatch.setattr("iim.evaluation.attempts.now", lambda: next(clock))
    tried = attempt(lambda: 2, lambda value: value + 3)
    assert (tried.value, tried.error, tried.seconds) == (5, None, (1.0, 3.0))
    assert tried.result() == 5


@pytest.mark.parametrize(("error", "foreign"), [(ValueError("no"), False), (SystemExit(3), True)])
def test_an_error_is_kept_and_ends_it(error, foreign):
    def fail(_):
        raise error

    tried = attempt(lambda: 1, fail, lambda _: 1 / 0, foreign=foreign)
    assert (tried.value, tried.error, len(tried.seconds)) == (None, error, 2)
    with pytest.raises(type(error)):
        tried.result()


@pytest.mark.parametrize(("error", "foreign"), [(KeyboardInterrupt, True), (SystemExit, False)])
def test_ctrl_c_is_not_kept_nor_an_exit_of_our_own(error, foreign):
    def interrupt():
        raise error

    with pytest.raises(error):
        attempt(interrupt, foreign=foreign)


def test_warnings_are_kept_if_that_is_wanted():
    def warn():
        for _ in range(2):
            warnings.warn("careful", stacklevel=1)

    tried = attempt(warn)
    assert [str(one.message) for one in tried.warned] == ["careful"] * 2
    with pytest.warns(UserWarning, match="careful"):
        assert attempt(warn, listen=False).warned == ()
