"""Rows: a view of a penalty on the K p coefficients of K responses as one on arrays (K, p)."""

import numpy as np

from sparsesolve.penalties.elastic_net_rows import ElasticNetRows


def on_rows(penalty, grouped):
    """Return the penalty of a Problem of K responses as one on arrays (K, p)."""
    if not penalty.has_blocks:
        return penalty
    return Rows(penalty) if penalty.has_groups else ElasticNetRows(penalty, grouped)


class Rows:
    """A view of any penalty on K p coefficients: row k of an array (K, p) is response k.

    It answers what the penalty answers; methods of ``penalty.py`` that are left out have no view.
    """

    def __init__(self, penalty):
        self.flat = penalty
        for name in ("conjugate", "feasible_scale", "prox_near", "polar_near", "dual_of_prox"):
            if hasattr(penalty, name):
                setattr(self, name, getattr(self, f"_{name}"))

    def sizes(self, C):
        """Return the products that the penalty's `entry_lambdas` takes, (K p,)."""
        return C.ravel()

    def value(self, B, *lam):
        """Return lam * Omega(B)."""
        return self.flat.value(B.ravel(), *lam)

    def prox(self, X, lam=1.0):
        """Return argmin_B |B - X|^2 / 2 + lam Omega(B)."""
        return self.flat.prox(X.ravel(), lam).reshape(X.shape)

    def polar(self, C):
        """Return the least lam with B = 0 optimal for the linear term -C'B."""
        return self.flat.polar(C.ravel())

    def tangent(self, B):
        """Return the directions along which Omega is smooth at B, or None."""
        return getattr(self.flat, "tangent", lambda b: None)(B.ravel())

    def _conjugate(self, C, lam=1.0):
        return self.flat.conjugate(C.ravel(), lam)

    def _feasible_scale(self, C, lam=1.0):
        return self.flat.feasible_scale(C.ravel(), lam)

    def _prox_near(self, X, lam, near):
        self.shape = X.shape
        b, near = self.flat.prox_near(X.ravel(), lam, near)
        return b.reshape(X.shape), near

    def _polar_near(self, C, near, level):
        near = None if near is None else (np.ravel(near[0]), near[1])
        return self.flat.polar_near(C.ravel(), near, level)

    def _dual_of_prox(self, near, t):
        return self.flat.dual_of_prox(near, t).reshape(self.shape)

    def unpenalised(self, B, C, lam=1.0):
        """Return a mask (p,) of the features with an unpenalised coefficient that no limit stops.
        """
        return self.unpenalised_each(B, C, lam).any(axis=0)

    def unpenalised_each(self, B, C, lam=1.0):
        """Return a mask (K, p) of the unpenalised coefficients that no limit stops."""
        return self.flat.unpenalised(B.ravel(), C.ravel(), lam).reshape(B.shape)
