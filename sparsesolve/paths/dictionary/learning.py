"""Dictionary learning: find atoms of which signals are sparse combinations."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data import (
    answers_keywords,
    read_choice,
    read_count,
    read_flag,
    read_number,
    read_seed,
)
from sparsesolve.linalg.design.design import Design
from sparsesolve.linalg.threads import one_blas_thread, thread_count
from sparsesolve.paths.dictionary import structured_codes
from sparsesolve.paths.dictionary.atoms import (
    Statistics,
    draw_atoms,
    mean_objective,
    read_atoms,
    update_structured_atoms,
)
from sparsesolve.paths.dictionary.coding import Coder, update_atoms
from sparsesolve.paths.dictionary.encoding import (
    SparseCodes,
    dense_columns,
    encode,
    read_columns,
    warn_missed,
)
from sparsesolve.paths.dictionary.sparse_code import sparse_code
from sparsesolve.paths.dictionary.structured_codes import bound_to, code_columns, read_convex
from sparsesolve.paths.progress import progress_bar
from sparsesolve.results.coefficient_table import Tabled
from sparsesolve.results.pictures.axes import new_panels, plot_curves
from sparsesolve.results.status import warn

ALGORITHMS = ("online", "batch")
# Sweeps over the atoms for each new set of codes. "online" makes one, since the next mini-batch
# follows at once (Mairal et al. 2010, section 3.4); "batch" makes more, since its codes cost
# most.
SWEEPS = {"online": 1, "batch": 5}
# A code is computed in at most this many sweeps or steps.
BUDGET = 1000
# A code has at most this duality gap, relative to |y|^2 / 2.
TOL = 1e-6


# Signals of more than this many times as many numbers as there are signals may be rows.
LONG = 4


class DictionaryLearning(Tabled):
    r"""Learn a dictionary D of p atoms from signals, the columns of Y.

    .. math::

        \min_{D,\, a} \; \frac{1}{n} \sum_i \Bigl[ \tfrac12 \lVert y_i - D a_i \rVert^2
        + \lambda \bigl( \alpha \lVert a_i \rVert_1
        + \tfrac{1 - \alpha}{2} \lVert a_i \rVert^2 \bigr) \Bigr]
        \quad \text{with } \lVert d_j \rVert \le 1

    and :math:`a_i \ge 0`, :math:`d_j \ge 0` where asked.

    `penalty` replaces ``|a|_1``, for example by a tree norm under which an atom is used only if
    its parent is. ``atom_lam sum_j Omega(d_j)`` with an `atom_penalty` gives atoms a structure.
    With alpha=0, `atom_penalty` = ``penalties.L1()`` is sparse PCA, and `penalties.OverlapLinf`
    of rectangles is structured sparse PCA.

    "online" takes mini-batches: it codes them, adds their contributions to the sums A and B, and
    moves each atom of D once towards the minimiser for these sums. The work per signal does not
    depend on the number of signals. "batch" alternates between coding all signals and moving D;
    its objective never rises. The problem is not convex: the result depends on the start.

    Parameters
    ----------
    n_atoms : int
        p; it may be more or fewer than the m entries of a signal.
    lam : float
        Strength of the penalty, above 0, as in `sparsesolve.sparse_code`.
    alpha : float in [0, 1], default 1
        Share of the sparse part; the rest is ridge. 0 gives codes that are not sparse, and needs
        `atom_penalty`.
    penalty : penalty, default None
        Convex penalty of the p entries of a code, in place of the l1 norm. FISTA then computes
        the codes, each with its duality gap, on one thread.
    atom_penalty : penalty, default None
        Convex penalty of the m entries of an atom. An atom that no code uses then becomes 0.
    atom_lam : float, default 0
        Strength of `atom_penalty`; above 0 with it.
    positive_codes, positive_atoms : bool, default False
        Nonnegative codes, nonnegative atoms; with both, nonnegative matrix factorisation.
    algorithm : {"online", "batch"}, default "online"
    batch_size : int, default 512
        Signals in a mini-batch of "online".
    n_epochs : int, default 10
        Passes over the signals in `fit`.
    forgetting : float, default 10
        For "online": at step t earlier sums are multiplied by (1 - 1/t)^forgetting. 0 keeps
        everything, even the codes over the first, poor dictionaries.
    tol : float, default 0
        Stop `fit` after an epoch that lowers the mean objective by less than this fraction.
    dictionary : array-like (m, p), default None
        The first dictionary; None means p of the first signals, drawn at random and normalised.
    seed : int or numpy.random.Generator, default None
        Seed of the start, of the order of the signals, and of replacements of unused atoms.
    n_threads : int, default 1
        -1 uses all cores; the result does not depend on it.
    progress : bool, default False
        Show a progress bar on stderr, with the objective.

    Attributes
    ----------
    dictionary : ndarray (m, p), None before the first signals
    objectives : list of float
        One for each step. "online": the mean objective of the mini-batch, coded before D is
        updated with it; "batch": that of all signals, before D moves.
    statistics : Statistics
        The sums A and B, and their number of signals.

    Warns
    -----
    ConvergenceWarning
        Once per call, if codes of signals miss a duality gap of 1e-6.

    References
    ----------
    Mairal, Bach, Ponce, Sapiro (2010), "Online learning for matrix factorization and sparse
    coding"; Engan, Aase, Husoy (1999) for the alternation.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> atoms = np.linalg.qr(rng.normal(size=(8, 8)))[0]
    >>> Y = atoms @ (rng.normal(size=(8, 2000)) * (rng.random((8, 2000)) < 0.1))
    >>> learnt = ss.DictionaryLearning(8, lam=0.1, algorithm="batch", n_epochs=30, seed=3).fit(Y)
    >>> bool(np.abs(atoms.T @ learnt.dictionary).max(axis=0).min() > 0.99)
    True
    >>> learnt.transform(Y)
    <SparseCodes: 2000 signals over 8 atoms, ...>
    """

    @answers_keywords("function", "DictionaryLearning")
    def __init__(
        self,
        n_atoms: int,
        *,
        lam: float,
        alpha: float = 1.0,
        penalty: Any = None,
        atom_penalty: Any = None,
        atom_lam: float = 0.0,
        positive_codes: bool = False,
        positive_atoms: bool = False,
        algorithm: str = "online",
        batch_size: int = 512,
        n_epochs: int = 10,
        forgetting: float = 10.0,
        tol: float = 0.0,
        dictionary: ArrayLike | None = None,
        seed: int | np.random.Generator | None = None,
        n_threads: int = 1,
        progress: bool = False,
    ) -> None:
        self.n_atoms = read_count("n_atoms", n_atoms, 1)
        self.lam = read_number("lam", lam, 0, np.inf, open_low=True)
        self.alpha = read_number("alpha", alpha, 0, 1, open_low=atom_penalty is None)
        self.positive_codes = read_flag("positive_codes", positive_codes)
        self.positive_atoms = read_flag("positive_atoms", positive_atoms)
        read_convex("penalty", penalty, self.positive_codes)
        read_convex("atom_penalty", atom_penalty, self.positive_atoms)
        low = atom_penalty is not None
        self.atom_lam = read_number("atom_lam", atom_lam, 0, np.inf, open_low=low)
        if self.atom_lam and not low:
            raise ValueError("atom_lam is the strength of atom_penalty; give that too")
        self.penalty, self.atom_penalty = penalty, atom_penalty
        self.algorithm = read_choice("algorithm", algorithm, ALGORITHMS)
        self.batch_size = read_count("batch_size", batch_size, 1)
        self.n_epochs = read_count("n_epochs", n_epochs, 1)
        self.forgetting = read_number("forgetting", forgetting, 0, np.inf)
        self.tol = read_number("tol", tol, 0, 1)
        self.n_threads = thread_count(n_threads)
        self.progress = read_flag("progress", progress)
        self._seed = seed
        self._start = None
        if dictionary is not None:
            self._start = read_atoms(dictionary, self.n_atoms, self.positive_atoms)
        self._reset()

    def fit(self, Y: Any) -> DictionaryLearning:
        """Learn from the columns of Y (m, N), from the start; returns self."""
        signals = read_columns("Y", Y)
        m, n = signals.shape
        _warn_of_rows(m, n, self.n_atoms)
        self._reset()
        size = n if self.algorithm == "batch" else min(self.batch_size, n)
        steps = -(-n // size)
        with progress_bar(self.n_epochs * steps, self.progress, "step") as advance:
            for _ in range(self.n_epochs):
                order = np.arange(n) if size == n else self._rng.permutation(n)
                for first in range(0, n, size):
                    chosen = order[first : first + size]
                    self._step(dense_columns(signals if size == n else signals[:, chosen]))
                    advance(len(self.objectives), "objective %.5g", self.objectives[-1])
                if self._has_converged(steps):
                    break
        self._warn()
        return self

    def partial_fit(self, Y: Any) -> DictionaryLearning:
        """Make one step of "online" with the columns of Y (m, N) as mini-batch; returns self.

        Signals may come from anywhere and need not be kept.
        """
        if self.algorithm != "online":
            raise ValueError("partial_fit belongs to algorithm='online'")
        self._step(dense_columns(read_columns("Y", Y)))
        self._warn()
        return self

    def transform(self, Y: Any, *, tol: float = 1e-7) -> SparseCodes:
        """Code the columns of Y over the dictionary, with the penalty of the fit.

        Returns
        -------
        SparseCodes
        """
        if self.dictionary is None:
            raise ValueError("there is no dictionary yet; call fit or partial_fit first")
        if self.alpha > 0.0:
            return sparse_code(Y, self.dictionary, lam=self.lam, alpha=self.alpha, tol=tol,
                               penalty=self.penalty, positive=self.positive_codes,
                               n_threads=self.n_threads)  # fmt: skip
        tol = read_number("tol", tol, 0, np.inf)
        signals = dense_columns(read_columns("Y", Y))
        self._refuse_length(signals)
        self._last = None
        return self._structured(signals, self.dictionary, tol)[0]

    def _columns(self):
        """Return the atoms as columns, one row for each entry of a signal."""
        if self.dictionary is None:
            raise ValueError("there is no dictionary yet; call fit or partial_fit first")
        atoms = {f"atom {j}": column for j, column in enumerate(self.dictionary.T)}
        return {"entry": np.arange(len(self.dictionary)), **atoms}

    def plot(self, shape: tuple[int, int] | None = None, ax: Any = None) -> Any:
        """Draw the objective at each step, or the atoms as images.

        Parameters
        ----------
        shape : pair of int, optional
            Rows and columns of the image that a signal is. Default: draw the objective.
        ax : matplotlib Axes, or with a shape an array of p of them, optional
            Where to draw. Default: the axes of a new figure.

        Returns
        -------
        ax : matplotlib Axes, or an array of p of them

        Raises
        ------
        ValueError
            If nothing was learnt yet, or the shape does not fit.
        """
        from sparsesolve.results.pictures.image import plot_image

        columns = self._columns()
        if shape is None:
            steps = np.arange(1, len(self.objectives) + 1)
            return plot_curves(steps, {"": np.array(self.objectives)},
                               ("Step", "Mean objective"), ax)  # fmt: skip
        axes = new_panels(self.n_atoms) if ax is None else np.asarray(ax, dtype=object).ravel()
        for panel, atom in zip(axes, list(columns.values())[1:], strict=True):
            plot_image(atom, shape, panel)
        return axes

    def __str__(self):
        return repr(self) if self.dictionary is None else super().__str__()

    def __repr__(self):
        seen = f"objective {self.objectives[-1]:.5g}" if self.objectives else "no signals yet"
        steps = len(self.objectives)
        return f"<DictionaryLearning: {self.n_atoms} atoms, {steps} steps, {seen}>"

    def _reset(self):
        self._rng = read_seed(self._seed)
        self.dictionary = None if self._start is None else self._start.copy(order="F")
        self.statistics = self._last = None
        self.objectives = []
        self._certificates = []

    def _step(self, Y):
        """Code Y (m, N), add to the sums or replace them, and move the dictionary."""
        if self.dictionary is None:
            self.dictionary = self._draw(Y, self.n_atoms)
        self._refuse_length(Y)
        D = self.dictionary.copy(order="F")
        with one_blas_thread():
            codes, objective = self._code(Y, D)
            now = Statistics(*D.shape)
            now.add(Y, codes)
            sums = now
            if self.algorithm == "online" and self.statistics is not None:
                sums = self.statistics.after(now, len(self.objectives) + 1, self.forgetting)
            unused = self._move(D, sums)
        if len(unused):
            D[:, unused] = self._draw(Y, len(unused))
        self.objectives.append(objective)
        self.statistics, self.dictionary = sums, D

    def _draw(self, Y, count):
        return draw_atoms(Y, count, self.positive_atoms, self._rng)

    def _refuse_length(self, Y):
        if Y.shape[0] != len(self.dictionary):
            raise ValueError(f"Y has {Y.shape[0]} rows; atoms have {len(self.dictionary)} entries")

    def _move(self, D, sums):
        """Move the atoms D in place; return those that no code uses and a signal may replace."""
        sweeps = SWEEPS[self.algorithm]
        if self.atom_penalty is None:
            return update_atoms(D, sums.A, sums.B, self.positive_atoms, sweeps)
        omega = bound_to("atom_penalty", self.atom_penalty, len(D), self.positive_atoms)
        update_structured_atoms(D, sums.A, sums.B, omega, self.atom_lam * sums.count, sweeps)
        return []

    def _structured(self, Y, D, tol):
        lam = np.full(Y.shape[1], self.lam)
        return code_columns(Y, D, self.penalty, lam, self.alpha, positive=self.positive_codes,
                            tol=tol, budget=structured_codes.STEPS, start=self._last,
                            advance=lambda done: None)  # fmt: skip

    def _code(self, Y, D):
        """Return codes of Y (m, N) over D, and the mean objective."""
        atoms = 0.0
        if self.atom_penalty is not None:
            omega = bound_to("atom_penalty", self.atom_penalty, len(D))
            atoms = self.atom_lam * sum(omega.value(d) for d in np.ascontiguousarray(D.T))
        if self.penalty is not None or self.alpha == 0.0:
            found, whole = self._structured(Y, D, TOL)
            if self.algorithm == "batch":  # the signals are the same in every epoch
                self._last = found.codes
            self._certificates.append((found.gaps, found.status))
            return found.codes, structured_codes.mean_objective(found, whole) + atoms
        coder = Coder(D, self.lam * (1.0 - self.alpha), self.n_threads)
        found = encode(
            coder, Design(Y), method="lasso", lam=np.full(Y.shape[1], self.lam), alpha=self.alpha,
            residual=np.zeros(Y.shape[1]), most=None, positive=self.positive_codes, tol=TOL,
            budget=BUDGET, advance=lambda done: None,
        )  # fmt: skip
        self._certificates.append((found.gaps, found.status))
        return found.codes, mean_objective(Y, D, found.codes, self.lam, self.alpha) + atoms

    def _warn(self):
        """Warn once about all signals since the last warning that missed the tolerance.

        Signals are counted from 0.
        """
        gaps, status = (np.concatenate(parts) for parts in zip(*self._certificates, strict=True))
        self._certificates = []
        warn_missed(gaps, status, TOL)

    def _has_converged(self, steps):
        """Return True if the last `steps` steps, an epoch, lowered the mean objective by less
        than tol.
        """
        if self.tol == 0.0 or len(self.objectives) < 2 * steps:
            return False
        epochs = np.reshape(self.objectives[-2 * steps :], (2, steps)).mean(axis=1)
        return epochs[1] > (1.0 - self.tol) * epochs[0]


def _warn_of_rows(m, n, n_atoms):
    """Warn if signals are few and long, so that rows may have been meant."""
    if n < min(m, n_atoms) or LONG * n < m:
        warn(
            f"Y holds {n} signals of {m} numbers each, as columns, for {n_atoms} atoms; if its "
            "rows are the signals, give Y.T",
            UserWarning,
        )
