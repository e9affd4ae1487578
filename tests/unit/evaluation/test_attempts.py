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


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(3)])
def test_an_error_is_kept_and_ends_it(error):
    def fail(_):
        raise error

    tried = attempt(lambda: 1, fail, lambda _: 1 / 0)
    assert (tried.value, tried.error, len(tried.seconds)) == (None, error, 2)
    with pytest.raises(type(error)):
        tried.result()


def test_ctrl_c_is_not_kept():
    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        attempt(interrupt)


def test_warnings_are_kept_if_that_is_wanted():
    def warn():
        for _ in range(2):
            warnings.warn("careful", stacklevel=1)

    tried = attempt(warn)
    assert [str(one.message) for one in tried.warned] == ["careful"] * 2
    with pytest.warns(UserWarning, match="careful"):
        assert attempt(warn, listen=False).warned == ()
