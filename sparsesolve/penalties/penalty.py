"""The contract of a penalty: what any object given as ``penalty=`` must answer.

    minimise over b   F(Xb) + lam Omega(b),     Omega convex, Omega(0) = 0

On whole vectors b, v, z (p,), as numpy arrays. Each answer is a new array:

    value(b)                Omega(b), a float
    prox(v, t)              argmin_b |b - v|^2 / 2 + t Omega(b), (p,)
    polar(z)                the least lam with z'b <= lam Omega(b) for all b, or more: the dual
                            norm of a norm. inf where there is none. z is orthogonal to kernel()
    conjugate(z, lam)       sup_b z'b - lam Omega(b). A norm may leave it out: it is 0 where
                            polar(z) <= lam, and inf elsewhere
    feasible_scale(z, lam)  the largest s in [0, 1] with conjugate(s z, lam) finite. A norm may
                            leave it out: it is lam / polar(z)
    kernel()                (p, k) array or scipy sparse matrix: directions along which Omega does
                            not change, such as the constants under total variation. May be left
                            out where there are none

lam and t are arguments, never attributes, and a penalty keeps no state of a solver. A penalty may
also answer:

    over(n_features, names) -> the penalty for so many features; ValueError where it does not fit
    mapping()               a map to a penalty on disjoint blocks (``forms.py``), or None
    tangent(b)              directions along which Omega is smooth at b (``forms.py``), or None:
                            Newton steps on these finish what proximal steps began
    sorted_weights()        (p,) w, which do not rise, with Omega(b) = sum_i w_i |b|_(i): solvers
                            then move clusters of equal sizes
    majorant(b, smoothing)  (p,) w with Omega <= sum_j w_j b_j^2 / 2 + constant, equal at b up to
                            the smoothing: for reweighted least squares; or None. There is one
                            where Omega^2 is a concave function of the squares of coefficients
    summands()              the penalties of which Omega is the sum, for solvers that need only
                            their proxes; or None
    splitting()             Omega(b) = psi(A b) with a simple psi, for ADMM (``forms.py``)
    prox_rows(V, t)         the prox of each row of V (N, p) at its own t (N,), where one call is
                            faster than N
    prox_near(v, t, near)   for an iterative prox: its answer, and a start for the next call, given
                            as `near`, None at first. polar_near(z, near, level) likewise; its
                            bound may be as loose as a comparison with the level allows
    dual_of_prox(near, t)   for an iterative prox: a point of t times the dual ball, near what the
                            prox that ended there subtracted. It bounds conjugates from above
    part(which)             the penalty on the features `which` alone, the others being 0, or
                            None. With it, solvers of many features solve for few of them
    group_members(n_features, names) -> the features of each group by its label, where there are
                            groups (the attribute `groups`)
    degrees(b)              degrees of freedom, for information criteria
    counted                 what `degrees` counts, where tables show it in place of nonzero
                            coefficients: "pieces" of equal ones. Left out otherwise
    along(n_features, names)    the order (p,) of the features along a line, where there is one
    over_responses(K)       -> the penalty on arrays (K, p) of K responses; without it Omega is
                            applied to every response, and summed
    scale_free              True: coefficients are not compared with one another, so that features
                            are standardised by default. Without it they are not
    has_blocks              True: a sum over disjoint blocks that also keeps the contract of
                            ``blocks.pyx`` (`BlockPenalty`) or that of `ElasticNet`, for which
                            there are faster solvers. The default is False

`whole.WholePenalty` adds a ridge part and units to such an object. `definition` checks that the
methods of one written by a user agree with one another.
"""

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

NEEDED = ("value", "prox", "polar")


@runtime_checkable
class Penalty(Protocol):
    """The methods of every penalty, for type checkers and readers."""

    def value(self, b: NDArray[np.float64], /) -> float: ...
    def prox(self, v: NDArray[np.float64], t: float, /) -> NDArray[np.float64]: ...
    def polar(self, z: NDArray[np.float64], /) -> float: ...


def has_blocks(penalty: Any) -> bool:
    """Return True if the penalty is a sum over disjoint blocks, which most solvers need."""
    return bool(getattr(penalty, "has_blocks", False))


def is_scale_free(penalty: Any) -> bool:
    """Return True if features are standardised by default: coefficients are not compared."""
    return penalty is None or has_blocks(penalty) or getattr(penalty, "scale_free", False)


def missing_method(penalty: Any) -> str | None:
    """Return the first method that an object lacks to be a penalty, or None."""
    for name in NEEDED:
        if not callable(getattr(penalty, name, None)):
            return name
    return None
