"""Times l1-logistic paths of sparsesolve beside its peers; see README.md."""

import paths
from glm_problems import LOGISTIC, LOGISTIC_QUICK

if __name__ == "__main__":
    paths.run(__doc__, "binomial", LOGISTIC, LOGISTIC_QUICK, ["s", "s4"])
