"""Status: codes with a sentence each; and the warning."""

from numpy.testing import assert_array_equal
from soft_paths import fit

from sparsesolve.results.status import ConvergenceWarning, Status


def test_status_members_are_codes_with_a_sentence():
    assert [status.value for status in Status] == [0, 1, 2, 3, 4]
    assert Status(1) is Status.MAX_ITER == 1
    assert all(status.sentence for status in Status)
    assert_array_equal(fit.status == Status.CONVERGED, [True] * 3)
    assert fit.status[0].sentence == Status.CONVERGED.sentence
    assert issubclass(ConvergenceWarning, UserWarning)
