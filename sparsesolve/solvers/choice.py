"""Choice: which solver suits a problem."""

from sparsesolve.solvers import SOLVERS

MOST_GRAM_COLUMNS = 1500  # up to here their Gram matrix costs less than the passes it saves
MOST_RIDGE = 4000  # rows or columns whose eigenvalues cost less than the steps they save
MOST_RIDGE_SPARSE = 1500  # the same where X is sparse and steps are cheap
RIDGE_DENSITY = 10  # one stored value in so many


def choose(problem, name, lambdas, n_threads):
    """The state of the solver of that name, or with "auto" of the one that suits.

    `lambdas` are those asked for, decreasing, or None for a grid that ends above 0.
    """
    design = problem.design
    closed = SOLVERS["ridge"].suits(problem.penalty, design)
    closed = closed and (lambdas is None or lambdas[-1] > 0.0)
    if name == "ridge" and not closed:
        raise ValueError(f"solver='ridge' needs {SOLVERS[name].needs}; choose solver='auto'")
    if name == "auto":
        name = "ridge" if closed and _few_eigenvalues(design) else _by_shape(design.n, design.p)
    return SOLVERS[name].state(
        design, problem.penalty, problem.weights, problem.response, n_threads
    )


def _few_eigenvalues(design):
    dense = RIDGE_DENSITY * design.stored > design.n * design.p
    return min(design.n, design.p) <= (MOST_RIDGE if dense else MOST_RIDGE_SPARSE)


def _by_shape(n, p):
    return "sufficient" if p <= min(max(n, 200), MOST_GRAM_COLUMNS) else "working_set"
