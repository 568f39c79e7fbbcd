"""Signal: what it takes to code one signal over a dictionary of which only the Gram matrix is known.

One thread keeps one and uses it for signal after signal; nothing is allocated between them.
"""
from sparsesolve.linalg.factors.gram_basis cimport GramBasis

cdef enum Outcome:          # codes of Status, and those below 0, which stay inside
    CONVERGED = 0
    MAX_ITER = 1
    STALLED = 2
    FULL = -1               # more atoms are wanted than there is room for
    UNTOLD = -2             # inner products do not tell an atom that explains more from those in use

cdef struct Signal:
    Py_ssize_t p                # atoms
    const double* gram          # (p, p), with the ridge on its diagonal
    # the signal
    const double* cross         # (p,) d_j'y
    double square               # y'y
    # what is asked
    double lam                  # of the l1 norm
    double tol                  # duality gap over y'y / 2
    double error                # squared norm of the residual at which a pursuit stops
    int most                    # atoms after which a pursuit stops
    long budget                 # steps or sweeps
    bint positive
    bint leaves                 # whether the homotopy lets atoms leave: the lasso, not least angles
    # where the method stands
    GramBasis basis
    double* c                   # (p + capacity): d_j'r, 0 of the atoms in use; then minus their coefficients
    double* a                   # (p + capacity): what a unit step takes from c
    double* z                   # (capacity,) products of the direction with the basis
    const double* start         # (p,) what the homotopy takes for d_j'y
    double* rate                # (p,) work
    char* state                 # (p,) FREE, USED or BLOCKED
    int* support                # (p,) atoms in use, in order of entry
    int* blocked                # (p,) atoms that lie in the span of those in use
    int n_blocked
    # the answer
    int count                   # atoms in use
    double* values              # (p,) their coefficients
    double level                # what the code belongs to: lam, or where `most` ended it; the largest |d_j'r| left
    double gap                  # certificate over y'y / 2 (l1) or |y| (pursuits)
    double residual             # r'r
    long steps

cdef enum AtomState:
    FREE = 0
    USED = 1
    BLOCKED = 2
