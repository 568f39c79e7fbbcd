"""Times l1-poisson paths of sparsesolve beside its peers; see README.md."""

import paths
from glm_problems import POISSON, POISSON_QUICK

if __name__ == "__main__":
    paths.run(__doc__, "poisson", POISSON, POISSON_QUICK, ["s", "s4"])
