"""No claim of a path of the size of real ones is false; `false_converged.py medium` tries many."""

import medium_problems
import pytest
import random_problems


@pytest.mark.parametrize("seed", range(14))
def test_claims_hold(seed):
    call = medium_problems.problem(seed)
    _, _, false, _ = random_problems.judged(call, call.fit(), medium_problems.JUDGED)
    assert not false
