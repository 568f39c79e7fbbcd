"""Objective against processor seconds, for any solver: what the figures of methods are drawn from.

A Trace holds, for a solver and a problem, seconds since it was given the problem in memory and the
objective then. First-order solvers are watched step by step, their clock stopped meanwhile; those
that only answer `solve` start afresh with growing budgets.
"""

import time
from typing import NamedTuple

import numpy as np

from sparsesolve.solvers import SOLVERS
from sparsesolve.solvers.first_order.first_order import FirstOrder

NULL_LAMBDA = 1e20
MAX_ITER, TO_THE_END = 1, 3000  # an outcome of solve; iterations
LABELS = {
    "ista": "ISTA",
    "fista": "FISTA",
    "sparsa": "SpaRSA",
    "subgradient": "subgradient",
    "reweighted": "reweighted l2",
    "bcd": "BCD",
    "proximal_newton": "working sets",
}


class Trace(NamedTuple):
    """How far a method was when."""

    label: str
    seconds: np.ndarray
    objective: np.ndarray


def objective(problem, state, lam):
    """Of the solution a state holds, the loss counted from its least value."""
    which, values = state.coefficients()
    b = np.zeros(problem.design.p)
    b[which] = values
    return state.loss_value + problem.penalty.value(b, lam)


def largest_level(problem):
    """The least lam with every penalised coefficient 0."""
    state = SOLVERS["working_set" if problem.loss is None else "proximal_newton"].state(problem, 1)
    state.solve(NULL_LAMBDA, 1e-14 * problem.null_value, 10_000)
    return float(problem.penalty.entry_lambdas(state.correlations()).max())


def watch(problem, name, lam, budget, **settings):
    """The Trace of one solver at one lam, for `budget` seconds or until its gap is 1e-12."""
    if issubclass(getattr(SOLVERS[name].state, "__mro__", (object,))[0], FirstOrder):
        return _watch_steps(problem, name, lam, budget, settings)
    return _watch_budgets(problem, name, lam, budget)


def _watch_steps(problem, name, lam, budget, settings):
    seconds, values, look = [], [], 1
    start = time.process_time()
    state = SOLVERS[name].state(problem, 1)
    for key, value in settings.items():
        setattr(state, key, value)
    spent, steps = time.process_time() - start, 0
    start = time.process_time()
    with np.errstate(over="ignore", invalid="ignore"):
        state.begin(lam)
        while True:
            spent += time.process_time() - start
            seconds.append(spent)
            values.append(objective(problem, state, lam))
            if steps >= 10 and state.gap(lam) <= 1e-12 * problem.null_value or spent > budget:
                break
            start = time.process_time()
            for _ in range(look):
                state.step(lam)
            steps += look
            look = max(1, steps // 30)
    return Trace(LABELS.get(name, name), np.array(seconds), np.array(values))


def _watch_budgets(problem, name, lam, budget):
    def run(most):
        state = SOLVERS[name].state(problem, 1)
        outcome, _ = state.solve(lam, 1e-12 * problem.null_value, most)
        return objective(problem, state, lam), outcome != MAX_ITER

    return watch_restarts(LABELS.get(name, name), run, budget)


def watch_restarts(label, run, budget):
    """The Trace of a method that starts afresh with twice the iterations each time.

    `run` takes a number of iterations and returns the objective reached and whether it is done;
    past the budget there is one more run, to the end.
    """
    seconds, values, most, spent, done = [], [], 1, 0.0, False
    while not done:
        last = spent > budget
        start = time.process_time()
        value, done = run(TO_THE_END if last else most)
        seconds.append(time.process_time() - start)
        values.append(value)
        spent += seconds[-1]
        most *= 2
        done = done or last
    return Trace(label, np.array(seconds), np.array(values))


def down_a_path(problem, name, lam, points=20):
    """One point: a solver as its users go, down so many lams with warm starts."""
    start = time.process_time()
    state = SOLVERS[name].state(problem, 1)
    state.solve(NULL_LAMBDA, 1e-14 * problem.null_value, TO_THE_END)
    top = float(problem.penalty.entry_lambdas(state.correlations()).max())
    for step in np.geomspace(top, lam, points)[1:-1]:
        state.solve(step, 1e-4 * problem.null_value, TO_THE_END)
    state.solve(lam, 1e-12 * problem.null_value, TO_THE_END)
    spent, value = time.process_time() - start, objective(problem, state, lam)
    return Trace(f"sparsesolve, {points} lams", np.array([spent]), np.array([value]))


def reached(trace, least, null, level):
    """Seconds until the objective is within level * null of the least; inf where it never is."""
    there = np.flatnonzero(trace.objective - least <= level * null)
    return float(trace.seconds[there].min()) if len(there) else np.inf


def best_steps(problem, lam, steps, multiples=(1e-3, 1e-2, 1e-1, 1.0, 10.0),
               delays=(1e2, 1e3, 1e4)):
    """a and delay of the subgradient's steps with the least objective after some, off the clock.

    As the monograph chooses them: a / (t + b), on a logarithmic grid; a is in units of delay / L.
    """
    found = []
    for multiple in multiples:
        for delay in delays:
            state = SOLVERS["subgradient"].state(problem, 1)
            state.descend(state.point, lam)
            state.a, state.delay = multiple * delay / state.L, delay
            with np.errstate(over="ignore", invalid="ignore"):  # too long steps
                state.begin(lam)
                for _ in range(steps):
                    state.step(lam)
            found.append((state.objective(lam), {"a": state.a, "delay": delay}))
    return min(found, key=lambda pair: pair[0])[1]


def draw(file, panels, columns):
    """Suboptimality against seconds, a panel for each (title, traces, least, null)."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows = -(-len(panels) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(4.6 * columns, 3.4 * rows), squeeze=False)
    labels = list(dict.fromkeys(trace.label for panel in panels for trace in panel[1]))
    for ax, (title, traces, least, null) in zip(axes.flat, panels, strict=False):
        for trace in traces:
            style = dict(color=f"C{labels.index(trace.label)}", label=trace.label, lw=1.2)
            order = np.argsort(trace.seconds)
            above = np.maximum((trace.objective[order] - least) / null, 1e-13)
            if len(above) == 1:
                style |= {"marker": "o", "ls": "none", "ms": 5}
            best = np.minimum.accumulate(above)
            ax.loglog(np.maximum(trace.seconds[order], 1e-5), best, **style)
        ax.set(title=title, ylim=(5e-14, 2), xlabel="processor seconds")
    axes[0, 0].set_ylabel("relative distance to the optimum")
    axes[0, 0].legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(file, dpi=110)


def table(panels, levels=(1e-2, 1e-4, 1e-6, 1e-9)):
    """Markdown: seconds to each level, and the order in which methods come in."""
    lines = []
    for title, traces, least, null in panels:
        lines += [f"**{title}**", "", "| method | " + " | ".join(f"{x:g}" for x in levels) + " |",
                  "|---" * (len(levels) + 1) + "|"]
        times = {t.label: [reached(t, least, null, x) for x in levels] for t in traces}
        for label, row in times.items():
            cells = ["–" if np.isinf(x) else f"{x:.3g}" for x in row]
            lines.append(f"| {label} | " + " | ".join(cells) + " |")
        order = []
        for k, level in enumerate(levels):
            there = sorted((row[k], label) for label, row in times.items() if row[k] < np.inf)
            order.append(f"{level:g}: " + " < ".join(label for _, label in there))
        lines += ["", "; ".join(order), ""]
    return "\n".join(lines)
