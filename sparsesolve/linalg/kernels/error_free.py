"""Error-free transformations: products and sums with what their rounding leaves.

Reference: Dekker, "A floating-point technique for extending the available precision" (1971);
Ogita, Rump and Oishi, "Accurate sum and dot product" (2005).
"""

from math import fsum

import numpy as np

SPLIT = 2.0**27 + 1.0  # halves the digits of a float


def rest_of_product(x, y, product):
    """x * y - product, exactly, for product = x * y in floats."""
    x_high = SPLIT * x - (SPLIT * x - x)
    y_high = SPLIT * y - (SPLIT * y - y)
    x_low, y_low = x - x_high, y - y_high
    return x_low * y_low - (((product - x_high * y_high) - x_low * y_high) - x_high * y_low)


def rest_of_sum(x, y, total):
    """x + y - total, exactly, for total = x + y in floats."""
    part = total - x
    return (x - (total - part)) + (y - part)


def dot(x, y, *others):
    """x'y and the sum of some other numbers, rounded once, for x and y (m,)."""
    (x, up), (y, further) = np.frexp(x), np.frexp(y)  # halves of large numbers would overflow
    product = x * y
    terms = np.ldexp([product, rest_of_product(x, y, product)], up + further)
    return fsum([*others, *terms.ravel().tolist()])
