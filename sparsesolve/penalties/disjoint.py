"""Disjoint: a sum of penalties of disjoint features, on vectors (p,) or arrays (K, p).

    Omega(b) = sum_k Omega_k(b_k),   b_k the coefficients of set k, in all rows of an array

Prox, tangent and dual points are those of the parts; the polar is the largest of the parts.
"""

import numpy as np

from sparsesolve.penalties.iterative import dual_of_part, ends_early, prox_of_part
from sparsesolve.penalties.tangent import side_by_side


class Disjoint:
    """The sum of `parts`, pairs of features (m,) and a penalty on (m,) or (K, m)."""

    def __init__(self, parts):
        self.parts = parts
        if any(ends_early(part) for _, part in parts):
            self.prox_near, self.dual_of_prox = self._prox_near, self._dual_of_prox

    def value(self, b):
        """Return the sum over the parts."""
        return sum(float(part.value(_taken(b, which))) for which, part in self.parts)

    def prox(self, v, t):
        """Return the prox of each part."""
        out = np.empty_like(v)
        for which, part in self.parts:
            out[..., which] = part.prox(_taken(v, which), t)
        return out

    def polar(self, z):
        """Return the largest polar of the parts."""
        return max(float(part.polar(_taken(z, which))) for which, part in self.parts)

    def tangent(self, b):
        """Return the tangents of the parts as one, or None if a part has none."""
        places = np.arange(b.size).reshape(b.shape)
        found = [
            (places[..., which].ravel(),
             getattr(part, "tangent", lambda b: None)(_taken(b, which)))
            for which, part in self.parts
        ]  # fmt: skip
        return None if any(own is None for _, own in found) else side_by_side(found, b.size)

    def _prox_near(self, v, t, near):
        out, ends = np.empty_like(v), [None] * len(self.parts) if near is None else list(near)
        for k, (which, part) in enumerate(self.parts):
            out[..., which], ends[k] = prox_of_part(part, _taken(v, which), t, ends[k])
        return out, ends

    def _dual_of_prox(self, near, t):
        found = [dual_of_part(part, own, t)
                 for (_, part), own in zip(self.parts, near, strict=True)]  # fmt: skip
        out = np.empty((*found[0].shape[:-1], sum(x.shape[-1] for x in found)))
        for (which, _), x in zip(self.parts, found, strict=True):
            out[..., which] = x
        return out


def _taken(b, which):
    return np.ascontiguousarray(b[..., which])
