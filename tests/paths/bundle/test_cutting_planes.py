"""bundle.bmrm of any risk: traces, bounds, and what it refuses."""

import numpy as np
import pytest
from scipy.optimize import minimize

from sparsesolve.paths import bundle

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 5))
Y = np.where(X[:, 0] + 0.5 * RNG.normal(size=40) > 0, 1.0, -1.0)


@pytest.mark.parametrize("line_search", [False, True])
def test_a_smooth_risk_of_ones_own(line_search):
    """Logistic, against BFGS."""

    def risk(w):
        eta = Y * (X @ w)
        return np.logaddexp(0, -eta).mean(), -X.T @ (Y / (1 + np.exp(eta))) / 40

    found = minimize(lambda w: risk(w)[0] + 0.05 * w @ w, np.zeros(5), tol=1e-12)
    trace = bundle.bmrm(risk, 0.1, 300, line_search=line_search, start=np.zeros(5), tol=1e-6)
    assert trace.gap <= 1e-6 * (1 if not line_search else 1000)
    assert found.fun - 1e-9 <= trace.objectives.min() <= found.fun + trace.gap + 1e-9
    assert trace.bounds.max() <= found.fun + 1e-9
    assert (np.diff(trace.bounds[1:]) >= -1e-14).all()
    assert trace.method == ("ls_bmrm" if line_search else "qp_bmrm")
    assert trace.passes[-1] == 2 * len(trace.objectives)
    shapes = {len(x) for x in (trace.objectives, trace.bounds, trace.passes, trace.seconds)}
    assert len(shapes) == 1 and (np.diff(trace.seconds) >= 0).all()


def test_it_begins_where_it_is_told_and_ends_at_the_tolerance():
    columns = np.eye(4)
    trace = bundle.bmrm(columns, 0.5, 0, start=[1.0, 0, 0, 0])
    assert trace.objectives == pytest.approx([1.25]) and trace.coef == pytest.approx([1, 0, 0, 0])
    assert len(bundle.bmrm(columns, 0.5, 100, tol=0.6).objectives) < 10


@pytest.mark.parametrize(("risk", "options", "message"), [
    (lambda w: (0.0, w), {}, "start is needed"),
    (lambda w: w, {"start": [0.0]}, "a value and a subgradient"),
    (lambda w: (0.0, np.zeros(3)), {"start": [0.0]}, r"subgradient of shape \(3,\)"),
    (lambda w: (np.nan, w), {"start": [0.0]}, "not finite at call 1"),
    (np.ones(3), {}, "an array"),
    (np.eye(2), {"start": [0.0]}, "start has shape"),
    (np.eye(2), {"start": [0.0, np.inf]}, "start is not finite at 1"),
    (np.eye(2), {"lam": 0.0}, "lam must be"),
    (np.eye(2), {"lam": -1.0}, "lam must be"),
    (np.eye(2), {"n_iter": -1}, "n_iter must be"),
])  # fmt: skip
def test_what_cannot_be_is_refused(risk, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        bundle.bmrm(risk, **{"lam": 1.0, **options})
