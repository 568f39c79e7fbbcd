"""Times the gaussian path of sparsesolve beside its peers; see README.md."""

import paths
from gaussian_problems import PROBLEMS, QUICK

if __name__ == "__main__":
    paths.run(__doc__, "gaussian", PROBLEMS, QUICK, ["s", "g"])
