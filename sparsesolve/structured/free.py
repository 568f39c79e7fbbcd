"""Free scores of transitions without a finite optimum, and the messages about them.

    F(b, t) with t free:  if label b never follows a in the data, F falls for ever as t_ab falls,

The free problem then has no optimum, and the problem that was solved has t within a box. The same
holds if the solution lies on the box. Otherwise the optimum within the box is that of the free
problem, because both are convex.
"""

import numpy as np

from sparsesolve.results.status import Status, warn
from sparsesolve.solvers.certificate.unbounded import FAR
from sparsesolve.structured.transitions import BOX

# A warning names at most this many scores.
SHOWN = 5


def score_names(labels, intercept):
    """Return the names of intercepts, transitions, starts and stops, in the order of t."""
    names = [str(label) for label in labels]
    alone = names if intercept else []
    pairs = [f"{a} -> {b}" for a in names for b in names]
    return [*alone, *pairs, *(f"start -> {a}" for a in names), *(f"{a} -> stop" for a in names)]


def never_taken(problem):
    """Return which entries of t the data never use though the model may: (number of t,) bool."""
    K, cut = problem.K, problem.n * problem.K
    seen, expected = problem.counts, problem.counts - problem.null_slope[cut:]
    if problem.intercept:
        u = problem.null_slope[:cut].reshape(-1, K)
        mean = problem.loss.label_weights()
        seen, expected = np.append(mean, seen), np.append(mean - u.sum(axis=0), expected)
    return (seen == 0.0) & (expected > 1e-12 * expected.max(initial=0.0))


def marked(points, problem, labels):
    """Return the status of each point, and the names of scores without a best value, or None."""
    cut = problem.p * problem.K
    never = never_taken(problem)
    found, status = never.copy(), []
    for point in points:
        t = np.zeros(len(never))
        tied = point.which >= cut
        t[point.which[tied] - cut] = point.values[tied]
        at_box = np.abs(t) >= BOX
        found |= at_box
        endless = never.any() or at_box.any()
        status.append(Status.UNBOUNDED if endless else point.status)
    if not found.any():
        return status, None
    names = score_names(labels, problem.intercept)
    return status, [names[i] for i in np.flatnonzero(found)]


def tells_all(problem, point):
    """Return True if coefficients without a penalty tell every label: F falls for ever as they
    grow.
    """
    if point.lam > 0.0 or not len(point.which):
        return False
    b = np.zeros(problem.n_coefficients)
    b[point.which] = point.values
    near, far = (problem.loss.at(problem.scores(c * b))[0] for c in (1.0, FAR))
    return bool(far <= near + 1e-9 * problem.null_value)  # but for rounding


def warn_unbounded(path):
    """Warn once, naming the free scores without a best value, or lambda = 0."""
    if path.unbounded is None:
        if (path.status == Status.UNBOUNDED).any():
            warn(
                "No finite coefficients are best at lambda = 0: features tell every label with "
                "certainty, and the objective keeps falling as coefficients grow; what is "
                "returned depends on tol. Choose a larger lambda"
            )
        return
    names = path.unbounded
    more = ", ..." if len(names) > SHOWN else ""
    one = len(names) == 1
    shown = ", ".join(repr(name) for name in names[:SHOWN])
    warn(
        f"No finite {'score is' if one else 'scores are'} best for {shown}{more}: the data never "
        f"take {'it' if one else 'them'}, or tell with certainty, and the objective keeps "
        f"falling. What is returned and certified is the best within -{BOX:g} to {BOX:g}; forbid "
        "such transitions by allowed, or take transitions='ridge'"
    )
