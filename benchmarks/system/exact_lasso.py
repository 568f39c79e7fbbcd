"""Lasso of a few columns in rational arithmetic: how far from its minimum is a point?

    P(b) = |y - X b|^2 / (2 n) + lam sum_j v_j |b_j|

Every pattern of signs has one linear system; its solution is a point, so the least P of all is at
least the minimum, and equal to it where the columns are independent. The floats of X, y, lam and b
are taken as the exact numbers that they are. Costs some 3^p systems: for p up to 7.
"""

import itertools
from fractions import Fraction


def solved(A, rhs):
    """x with A x = rhs by elimination; None where A is singular."""
    rows = [[*row, value] for row, value in zip(A, rhs, strict=True)]
    for i in range(len(rows)):
        pivot = max(range(i, len(rows)), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        if rows[i][i] == 0:
            return None
        for k, row in enumerate(rows):
            if k != i and row[i]:
                f = row[i] / rows[i][i]
                rows[k] = [a - f * c for a, c in zip(row, rows[i], strict=True)]
    return [row[-1] / row[i] for i, row in enumerate(rows)]


def excess(X, y, v, b, lam):
    """P(b) less the least P found, over the null objective |y|^2 / (2 n)."""
    n, p = X.shape
    columns = [[Fraction(float(x)) for x in column] for column in X.T]
    target = [Fraction(float(x)) for x in y]
    v, lam = [Fraction(float(x)) for x in v], Fraction(float(lam))

    def product(a, c):
        return sum(s * t for s, t in zip(a, c, strict=True)) / n

    gram = [[product(a, c) for c in columns] for a in columns]
    cross, square = [product(a, target) for a in columns], product(target, target)

    def value(b):
        fit = sum(s * g * t for s, row in zip(b, gram, strict=True)
                  for g, t in zip(row, b, strict=True))  # fmt: skip
        linear = sum(s * t for s, t in zip(b, cross, strict=True))
        return (square - 2 * linear + fit) / 2 + lam * sum(
            size * abs(s) for size, s in zip(v, b, strict=True))  # fmt: skip

    here = value([Fraction(float(s)) for s in b])
    least = here
    for signs in itertools.product(*[(0, 1, -1) if size and lam else (1,) for size in v]):
        used = [j for j, sign in enumerate(signs) if sign]
        found = solved([[gram[i][j] for j in used] for i in used],
                       [cross[j] - lam * v[j] * signs[j] for j in used])  # fmt: skip
        if found is not None:
            full = [Fraction(0)] * p
            for j, s in zip(used, found, strict=True):
                full[j] = s
            least = min(least, value(full))
    return float((here - least) / (square / 2)) if square else 0.0
