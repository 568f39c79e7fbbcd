"""Error-free transformations: products and sums together with their exact rounding errors.

Reference: Dekker, "A floating-point technique for extending the available precision" (1971);
Ogita, Rump and Oishi, "Accurate sum and dot product" (2005).
"""

from math import fsum

import numpy as np

SPLIT = 2.0**27 + 1.0  # splits a float into two halves of its digits


def rest_of_product(x, y, product):
    """Return x * y - product exactly, for the floating-point product = x * y."""
    x_high = SPLIT * x - (SPLIT * x - x)
    y_high = SPLIT * y - (SPLIT * y - y)
    x_low, y_low = x - x_high, y - y_high
    return x_low * y_low - (((product - x_high * y_high) - x_low * y_high) - x_high * y_low)


def rest_of_sum(x, y, total):
    """Return x + y - total exactly, for the floating-point total = x + y."""
    part = total - x
    return (x - (total - part)) + (y - part)


def dot(x, y, *others):
    """Return x'y plus the sum of `others`, rounded once, for x and y (m,)."""
    # Mantissas are multiplied, because splitting large numbers would overflow.
    (x, up), (y, further) = np.frexp(x), np.frexp(y)
    product = x * y
    terms = np.ldexp([product, rest_of_product(x, y, product)], up + further)
    return fsum([*others, *terms.ravel().tolist()])
