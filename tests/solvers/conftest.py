"""What tests of solvers share."""

import pytest

from sparsesolve.solvers import SOLVERS, choice


@pytest.fixture
def states(monkeypatch):
    """The states of the solvers that path() makes from now on."""
    made = []

    def watched(solver):
        def make(*args):
            made.append(solver.state(*args))
            return made[-1]

        return solver._replace(state=make)

    monkeypatch.setattr(choice, "SOLVERS", {k: watched(v) for k, v in SOLVERS.items()})
    return made
