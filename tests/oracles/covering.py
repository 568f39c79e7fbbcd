"""Combinations of options in which all choices of any two, or three, options meet."""

from itertools import combinations, product

import numpy as np


def meeting(choices, count, seed=0, draws=20):
    """Return cases {option: choice}, greedily the best of random draws, until all have met.

    Each draw holds one of those combinations of `count` options that have not met yet.
    """
    rng = np.random.default_rng(seed)
    parts = [*combinations(choices, count)]
    left = [(part, at) for part in parts
            for at in product(*(range(len(choices[name])) for name in part))]  # fmt: skip
    missing, cases = set(left), []
    while missing:
        left, best = [one for one in left if one in missing], (set(), {})
        for _ in range(draws):
            case = {name: int(rng.integers(len(own))) for name, own in choices.items()}
            case |= dict(zip(*left[rng.integers(len(left))], strict=True))
            met = {(part, tuple(case[name] for name in part)) for part in parts} & missing
            best = max(best, (met, case), key=lambda found: len(found[0]))
        missing -= best[0]
        cases.append({name: choices[name][k] for name, k in best[1].items()})
    return cases
