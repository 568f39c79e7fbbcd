"""Projection on a box and a hyperplane: nanoseconds an element and the residual, 1e3 to 1e7.

    python benchmarks/margin/projection.py [--most 7]

Beside it the classical way, all kinks sorted. Processor time, the least of a few runs.
"""

import argparse
import math
import time

import numpy as np

from sparsesolve.penalties.prox import box_hyperplane


def by_sorting(m, low, high, a, z):
    """The same for d = 1 by sorting the kinks and summing slopes between them."""
    kinks = np.concatenate([(low - m) / a, (high - m) / a])
    rises = np.concatenate([a * a, -a * a]) * np.sign(np.tile(a, 2))
    order = np.argsort(kinks)
    kinks, slope = kinks[order], np.cumsum(rises[order])
    start = a @ np.where(a > 0, low, high)
    values = start + np.append(0.0, np.cumsum(slope[:-1] * np.diff(kinks)))
    k = min(int(np.searchsorted(values, z)), len(kinks) - 1)
    t = kinks[k] - (values[k] - z) / slope[k - 1] if k > 0 and slope[k - 1] > 0 else kinks[k]
    return np.clip(m + t * a, low, high)


def least(function, runs):
    """The least processor time of some runs."""
    found = math.inf
    for _ in range(runs):
        begun = time.process_time()
        function()
        found = min(found, time.process_time() - begun)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--most", type=int, default=7, help="exponent of the largest size")
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    print("size      ns an element  by sorting  residual  apart")
    for n in (10**k for k in range(3, options.most + 1)):
        m, a = rng.normal(size=n), np.where(rng.random(n) < 0.5, 1.0, -1.0)
        low, high = np.zeros(n), np.ones(n)
        runs = max(3, 10**6 // n)
        ours = least(lambda: box_hyperplane(m, low, high, a, 0.3), runs)  # noqa: B023
        theirs = least(lambda: by_sorting(m, low, high, a, 0.3), 3)  # noqa: B023
        x = box_hyperplane(m, low, high, a, 0.3)
        apart = np.abs(x - by_sorting(m, low, high, a, 0.3)).max()
        left = abs(math.fsum(a * x) - 0.3)
        print(f"{n:<9} {ours / n * 1e9:13.1f}  {theirs / n * 1e9:10.1f}  {left:8.1e}  {apart:.1e}")


if __name__ == "__main__":
    main()
