"""glmnet, R's and Python's, on K responses and the Cox model: processor seconds at an accuracy.

Coefficients are judged by their objective, which `response_losses` computes. What it is compared
with is our own path at a tolerance of 1e-11: its objective less its certified gap is below the
optimum.
"""

import select
import subprocess
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from response_losses import FAMILIES
from scipy import sparse

import sparsesolve as ss

STRICTEST = 1e-15  # thresh of glmnet at which its ladder ends
START = 300  # seconds for R to read the problem and warm up
REFERENCE = 1e-11  # our own tolerance for the lower bound


class Glmnet:
    """R in a process of its own that holds the problem; an answer later than `budget` ends it."""

    def __init__(self, q, folder, budget):
        self.q, self.folder, self.budget = q, folder, budget
        n, p = q.X.shape
        nnz = 0
        if sparse.issparse(q.X):
            nnz = q.X.nnz
            q.X.indices.astype(np.int32).tofile(folder / "rows.bin")
            q.X.indptr.astype(np.int32).tofile(folder / "starts.bin")
            q.X.data.astype(float).tofile(folder / "X.bin")
        else:
            q.X.T.astype(float).tofile(folder / "X.bin")
        Y = q.y[:, None].astype(float) if q.y.ndim == 1 else q.y
        np.ascontiguousarray(Y.T).tofile(folder / "y.bin")
        q.lambdas.tofile(folder / "lambdas.bin")
        facts = (n, p, Y.shape[1], q.family, nnz, q.alpha)
        (folder / "facts.txt").write_text("".join(f"{fact}\n" for fact in facts))
        script = ["Rscript", "--vanilla", Path(__file__).with_name("response_paths.R"), folder]
        self.process = subprocess.Popen(script, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)  # fmt: skip
        if not (self._answer(START) or "").startswith("ready"):
            self.stop()
            raise RuntimeError("glmnet does not start")

    def _answer(self, budget):
        ready, _, _ = select.select([self.process.stdout], [], [], budget)
        return self.process.stdout.readline() if ready else None

    def solve(self, tol):
        """Return (wall, cpu, None, coefficients (L, p, K)); None where the budget has passed."""
        self.process.stdin.write(f"{tol!r}\n")
        self.process.stdin.flush()
        answer = self._answer(self.budget)
        if not answer:
            self.stop()
            return None
        wall, cpu = map(float, answer.split())
        shape = len(self.q.lambdas), -1, self.q.X.shape[1]
        coefs = np.fromfile(self.folder / "coefs.bin").reshape(shape)
        return wall, cpu, None, coefs.transpose(0, 2, 1)

    def stop(self):
        """End our own process."""
        self.process.kill()
        self.process.wait()


class Judge:
    """One problem, and the relative suboptimality of coefficients (L, p, K) of it."""

    def __init__(self, X, y, family, alpha, lambdas):
        self.X, self.y, self.family, self.alpha, self.lambdas = X, y, family, alpha, lambdas
        self.loss = FAMILIES[family]
        classes = family in ("multinomial", "grouped")
        self.Y = np.eye(int(y.max()) + 1)[y] if classes else y
        kind = {"family": "multinomial", "grouped": True} if family == "grouped" else {
            "family": family}  # fmt: skip
        fit = ss.path(X, y, alpha=alpha, lambdas=lambdas, standardize=False, stop=None,
                      tol=REFERENCE, **kind)  # fmt: skip
        coefs = [np.transpose(fit.coef(s=lam)) for lam in fit.lambdas]
        K = 1 if family == "cox" else self.Y.shape[1]
        self.null = self.loss.primal(self.Y, np.zeros((len(y), K)))[0]
        self.bounds = self.objectives(coefs) - fit.gaps * self.null

    def objectives(self, coefs):
        """Return the objectives (L,), each with its best intercept."""
        values = np.empty(len(self.lambdas))
        for k, lam in enumerate(self.lambdas):
            B = np.asarray(coefs[k], dtype=float).reshape(self.X.shape[1], -1)
            loss, _ = self.loss.primal(self.Y, self.X @ B)
            sizes = np.sqrt((B**2).sum(axis=1)) if self.loss.tied else np.abs(B)
            ridge = 0.5 * (1.0 - self.alpha) * (B**2).sum()
            values[k] = loss + lam * (self.alpha * sizes.sum() + ridge)
        return values

    def worst(self, coefs):
        """Return the largest suboptimality over the lambdas, relative to the null objective."""
        worst = ((self.objectives(coefs) - self.bounds) / self.null).max()
        return worst if np.isfinite(worst) else np.inf


class Glmstar:
    """The package of glmnet's authors for Python on multinomial and Cox, in this process."""

    def __init__(self, q, folder, budget):
        self.q, self.budget = q, budget

    def solve(self, tol):
        """Return (wall, cpu, None, coefficients (L, p, K)); None if it took more than allowed."""
        import glmnet
        from packages import glmnet_path

        q = self.q
        if q.family == "cox":
            import pandas as pd
            from glmnet.cox import CoxFamilySpec

            y = pd.DataFrame(q.y, columns=["event", "status"])
            family = CoxFamilySpec(event_data=y, event_id="event", status_id="status",
                                   tie_breaking="breslow")  # fmt: skip
            estimator, options = glmnet.CoxNet, {"family": family, "fit_intercept": False}
        else:
            y, estimator, options = q.y, glmnet.MultiClassNet, {}
        given = SimpleNamespace(X=q.X, y=y, alpha=q.alpha)
        wall, cpu = time.perf_counter(), time.process_time()
        coefs = glmnet_path(given, estimator, **options)(tol, q.lambdas)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        coefs = coefs.T.reshape(q.lambdas.size, q.X.shape[1], -1)
        return None if wall > self.budget else (wall, cpu, None, coefs)

    def stop(self):
        """Nothing runs on."""


PEERS = {"glmnet": Glmnet, "glmstar": Glmstar}


def note(found, worst, seconds, tols):
    """Enter the seconds of a run of that suboptimality at the levels that it meets, if fewer."""
    for tol in tols:
        if worst <= tol:
            found[tol] = min(seconds, found.get(tol, np.inf))


def response_seconds(name, judge, tols, budget):
    """Return {tol: processor seconds} of the loosest of a peer's tolerances that meets each."""
    found, own = {}, 1e-2
    with tempfile.TemporaryDirectory() as folder:
        peer = PEERS[name](judge, Path(folder), budget)
        while own >= STRICTEST and len(found) < len(tols):
            run = peer.solve(own)
            if run is None:
                break
            worst = judge.worst(run[3])
            note(found, worst, run[1], tols)
            if run[1] > budget / 4.0:
                break  # the next may last far longer, and one in this process cannot be cut off
            own /= 10.0
        peer.stop()
    return found
