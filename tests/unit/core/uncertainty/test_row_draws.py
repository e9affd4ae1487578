"""Draws that belong to rows and patterns."""

import numpy as np
from scipy import stats

from iim.core.patterns import Pattern
from iim.core.uncertainty.row_draws import pattern_generator, row_normals, row_uniforms
from strategies import untied


def test_a_row_draws_the_same_in_any_company():
    known = untied(50, 3)
    together = row_uniforms(7, 1, known, 4)
    alone = np.vstack([row_uniforms(7, 1, row[None], 4) for row in known[::-1]])[::-1]
    assert together.tobytes() == np.ascontiguousarray(alone).tobytes()
    assert row_uniforms(7, 1, known, 2).tobytes() == np.ascontiguousarray(together[:, :2]).tobytes()


def test_seed_target_and_values_all_matter():
    known = untied(50, 3)
    base = row_uniforms(7, 1, known, 1)
    assert (row_uniforms(8, 1, known, 1) != base).all()
    assert (row_uniforms(7, 2, known, 1) != base).all()
    assert (row_uniforms(7, 1, np.nextafter(known, 9), 1) != base).all()
    assert (row_uniforms(7, 1, known[:, [1, 0, 2]], 1) != base).all()


def test_zero_has_no_sign():
    zeros = row_uniforms(0, 0, np.array([[0.0, 1.0], [-0.0, 1.0]]), 3)
    assert (zeros[0] == zeros[1]).all()


def test_rows_that_know_nothing_draw_something():
    assert row_uniforms(0, 0, np.empty((2, 0)), 1).shape == (2, 1)


def test_they_are_uniform_and_normal_even_for_similar_rows():
    known = np.arange(20000.0)[:, None]
    uniforms = row_uniforms(0, 0, known, 2)
    assert uniforms.min() > 0
    assert uniforms.max() < 1
    assert stats.kstest(uniforms[:, 0], "uniform").pvalue > 0.001
    assert stats.kstest(row_normals(0, 0, known, 1)[:, 0], "norm").pvalue > 0.001
    neighbours = [uniforms[1:, 0], uniforms[:-1, 1]]
    assert abs(np.corrcoef(*neighbours)[0, 1]) < 0.03
    assert abs(np.corrcoef(uniforms.T)[0, 1]) < 0.03


def test_patterns_have_their_own_generators():
    draws = {
        (seed, pattern): pattern_generator(seed, pattern).random()
        for seed in (0, 1)
        for pattern in (Pattern((0, 1), 2), Pattern((0, 2), 1), Pattern((0,), 2), Pattern((), 2))
    }
    assert len(set(draws.values())) == 8
    assert draws[0, Pattern((0, 1), 2)] == pattern_generator(0, Pattern((0, 1), 2)).random()
