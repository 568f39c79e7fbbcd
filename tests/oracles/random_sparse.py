"""Random sparse designs that any scipy can make: `random_array` takes `rng` from 1.15 only."""

import numpy as np
from scipy import sparse


def random_csc(shape, density, rng):
    """An array in canonical CSC form of that many entries, uniform on [0, 1)."""
    size = shape[0] * shape[1]
    places = rng.choice(size, round(density * size), replace=False)
    columns, rows = np.array(np.divmod(places, shape[0]), dtype=np.int32)
    return sparse.coo_array((rng.random(len(places)), (rows, columns)), shape=shape).tocsc()
