"""No claim of a path of the size of real ones is false; `false_converged.py medium` tries many."""

import medium_problems
import pytest


@pytest.mark.parametrize("seed", range(14))
def test_claims_hold(seed):
    call = medium_problems.problem(seed)
    _, _, false, _ = medium_problems.judged(call, call.fit())
    assert not false
