"""Structured hinge losses on chains: BMRM, block Frank-Wolfe and Pragam with entropies, by passes.

    python benchmarks/structured/max_margin.py LETTERS.npz [--iterations 100] [--level 0.1]

LETTERS.npz has pixels (n, p), letters (n,), word_ptr and word_fold; one fold trains, the others
test. The objective is lam |w|^2 / 2 + the mean over words of the largest score plus wrong letters
less the right score. Printed for each method and number of passes: the best objective so far less
the best lower bound of all methods, the method's own gap, letters read rightly, processor seconds.
A pass decodes every word once; an iteration of Pragam takes one to know its objective and two of
forward-backward. Pragam's prox-function is the entropy of the labellings of each word, so that
both of its maps are marginals and no projection is needed; its mu_k D_2 bounds the gap.
Reference: Saha, Zhang, Vishwanathan (2010), section 5; Zhang, Saha, Vishwanathan (2011),
"Accelerated training of max-margin Markov networks with kernels", for the entropic form.
"""

import argparse
import time

import numpy as np
from spom import letters

from sparsesolve.linalg.threads import one_blas_thread
from sparsesolve.paths import bundle
from sparsesolve.structured.margin_learner import MaxMargin, max_margin
from sparsesolve.structured.problem import read_chain_problem

MARKS = (10, 30, 100, 300)


class Marginals:
    """Maps from scores to distributions over labellings, by their moments."""

    def __init__(self, data):
        X, y, lengths = data
        self.problem = read_chain_problem(X, y, lengths, None, None, 0.0, "ridge", True, None,
                                          None, 1)[0]  # fmt: skip
        K, n = self.problem.K, len(y)
        codes = np.searchsorted(np.unique(y), y)
        self.gold = np.arange(n) * K + codes
        self.cost = np.zeros(self.problem.loss.n)
        self.cost[: n * K] = 1.0
        self.cost[self.gold] = 0.0
        ends = np.cumsum(lengths)
        sums = [X[b - size : b].sum(axis=0) for b, size in zip(ends, lengths, strict=True)]
        # a labelling has the word's features, a count for each letter, pair, start and stop
        self.radius = max(float(s @ s) + 2.0 * size**2 + 2.0
                          for s, size in zip(sums, lengths, strict=True))  # fmt: skip
        self.entropy = float(np.mean(lengths)) * np.log(K)

    def scores(self, w):
        """eta of w, with the costs."""
        return self.problem.scores(w) + self.cost

    def moments(self, eta):
        """(mean of phi(y) - E phi, mean expected cost) where P(y') ~ exp(score(y'))."""
        u = self.problem.loss.at(eta)[1]
        return self.problem.products(u), float(u[self.gold].sum())


def pragam(data, lam, n_iter, risk):
    """(w, J, D, mu D_2, passes) at every iteration; the excessive gap technique with entropies."""
    maps = Marginals(data)
    L = maps.radius / lam
    mu = L
    z, cost = maps.moments(np.zeros_like(maps.cost))  # the centre: all labellings alike
    w = z / lam
    z, cost = maps.moments(maps.scores(w) / mu)
    passes = 2
    for _ in range(n_iter):
        here = 0.5 * lam * w @ w + risk(w)[0]
        passes += 1
        yield w, here, cost - 0.5 * z @ z / lam, mu * maps.entropy, passes
        # tau^2 / (1 - tau) = mu / L
        tau = 0.5 * (-mu / L + np.sqrt((mu / L) ** 2 + 4.0 * mu / L))
        near = maps.scores(w) / mu
        z_near, cost_near = maps.moments(near)
        middle = ((1.0 - tau) * z + tau * z_near) / lam
        w = (1.0 - tau) * w + tau * middle
        z_far, cost_far = maps.moments(near + tau / ((1.0 - tau) * mu) * maps.scores(middle))
        z, cost = (1.0 - tau) * z + tau * z_far, (1.0 - tau) * cost + tau * cost_far
        mu *= 1.0 - tau
        passes += 2


def traces(data, lam, n_iter):
    """Name, and for each mark (passes, w, best J, best bound, seconds)."""
    risk = MaxMargin(*data).step.risk
    size = len(MaxMargin(*data).w)
    marks = [k for k in MARKS if k <= n_iter]
    for name, line in (("qp-BMRM", False), ("ls-BMRM", True)):
        rows = []
        for k in marks:
            begun = time.process_time()
            trace = bundle.bmrm(risk, lam, k, line_search=line, start=np.zeros(size))
            spent = time.process_time() - begun
            rows.append((k, trace.coef, trace.objectives.min(), trace.bounds.max(), spent))
        yield name, rows
    learner, rng, rows = MaxMargin(*data, dual=True), np.random.default_rng(0), []
    begun, best, bound = time.process_time(), np.inf, -np.inf
    for k in range(1, max(marks) + 1):
        order = rng.permutation(learner.n_sequences).astype(np.intc)
        learner.step.frank_wolfe_epoch(order, learner.w, lam)
        if k in marks:
            spent = time.process_time() - begun
            here = learner.step.objective(learner.w, lam)
            best = min(best, here)
            bound = max(bound, here - learner.step.frank_wolfe_gap(learner.w, lam))
            rows.append((k, learner.w.copy(), best, bound, spent))
    yield "Frank-Wolfe", rows
    begun, best, bound, rows, kept = time.process_time(), np.inf, -np.inf, [], None
    for k, (w, here, dual, most, passes) in enumerate(pragam(data, lam, max(marks) + 1, risk)):
        if here - dual > most * (1.0 + 1e-9):
            print(f"Pragam's bound does not hold at iteration {k}: {here - dual:g} > {most:g}")
        kept = w if here < best else kept
        best, bound = min(best, here), max(bound, dual)
        if k in marks:
            rows.append((passes, kept, best, bound, time.process_time() - begun))
    yield "Pragam", rows
    yield "marginals", by_marginals(data, lam, marks)


def by_marginals(data, lam, marks):
    """Fit by Pragam on the marginals of neighbours, as in appendix E of the paper."""
    X, y, lengths = data
    rows = []
    for k in marks:
        fit = max_margin(X, y, lengths=lengths, algorithm="pragam", lam=lam, epochs=k)
        trace = fit.trace
        if (trace.objectives - trace.bounds > trace.theory * (1.0 + 1e-9)).any():
            print("the bound of Pragam by marginals does not hold")
        rows.append((int(trace.passes[-1]), fit.coefs.toarray()[:, 0], trace.objectives.min(),
                     trace.bounds.max(), trace.seconds[-1]))  # fmt: skip
    return rows


def accuracy(data, w, labels):
    """Share of letters read rightly."""
    X, y, lengths = data
    learner = MaxMargin(X, y, lengths, labels=labels)
    learner.w[:] = w
    learner.total[:] = 0.0
    return learner.averaged().score(X, y, lengths)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("letters")
    parser.add_argument("--fold", type=int, default=3)
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--level", type=float, default=0.1)
    options = parser.parse_args()
    train, test = ((X.astype(float), y, lengths)
                   for X, y, lengths in letters(options.letters, options.fold))
    with one_blas_thread():
        found = list(traces(train, options.level, options.iterations))
        floor = max(row[3] for _, rows in found for row in rows)
        print(f"lam {options.level:g}, fold {options.fold}, best lower bound {floor:.4f}")
        for name, rows in found:
            for passes, w, best, bound, spent in rows:
                share = accuracy(test, w, np.unique(train[1]))
                print(f"{name:12s} {passes:5d} passes: J - bound {best - floor:8.4f}, own gap "
                      f"{best - bound:8.4f}, {100 * share:.2f} %, {spent:.2f} s")  # fmt: skip


if __name__ == "__main__":
    main()
