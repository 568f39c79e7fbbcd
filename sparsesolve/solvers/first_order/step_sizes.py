"""Step sizes of online methods, fixed in advance.

    "sqrt"       eta0 / sqrt(t)
    "inverse"    eta0 / t          for strongly convex problems, eta0 = 1 / sigma
    "constant"   eta0
    callable     t -> eta_t

Given: a schedule, eta0 and times t. Returned: eta_t. Invariant: eta_t > 0. The online package and
structured prediction share them.

References: Duchi and Singer (2009), corollaries 3 to 7; Martins et al. (2011), section 4;
Shalev-Shwartz, Singer, Srebro, Cotter (2011), "Pegasos", for "inverse".
"""

import numpy as np

SCHEDULES = ("sqrt", "inverse", "constant")


def step_sizes(schedule, eta0, t):
    """Return eta_t (S,) at times t (S,); ValueError if a callable gives one that is not positive.
    """
    if callable(schedule):
        eta = np.array([schedule(s) if s > 0.0 else 1.0 for s in t.tolist()], dtype=float)
        if not ((eta > 0.0) & (eta < np.inf)).all():
            k = int(np.argmin((eta > 0.0) & (eta < np.inf)))
            raise ValueError(f"step({t[k]!s}) is {eta[k]!s}; a step size is positive")
        return eta
    if schedule == "constant":
        return np.full(len(t), eta0)
    return eta0 / (np.sqrt(t) if schedule == "sqrt" else t)
