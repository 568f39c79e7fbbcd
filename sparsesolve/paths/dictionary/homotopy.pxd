"""Signal: the data and the workspace for coding one signal over a dictionary.

Only the Gram matrix of the dictionary is known. Each thread keeps one Signal and uses it for one
signal after the other, so that nothing is allocated between them.
"""
from sparsesolve.linalg.factors.gram_basis cimport GramBasis

# The outcomes of a method: the codes of Status, and two below 0 that users never see.
cdef enum Outcome:
    CONVERGED = 0
    MAX_ITER = 1
    STALLED = 2
    FULL = -1               # the code needs more atoms than there is memory for
    UNRESOLVED = -2         # inner products do not separate the next atom from the support

cdef struct Signal:
    Py_ssize_t p                # atoms
    const double* gram          # (p, p), with the ridge on its diagonal
    # the signal
    const double* cross         # (p,) d_j'y
    double square               # y'y
    # the options
    double lam                  # level of the l1 norm
    double tol                  # duality gap over y'y / 2
    double error                # squared norm of the residual at which a pursuit stops
    int most                    # atoms after which a pursuit stops
    long budget                 # steps or sweeps
    bint positive
    bint leaves  # True if the homotopy lets atoms leave (lasso), False if not (least angles)
    # the state of the method
    GramBasis basis
    # c and a are (p + capacity,). The first p numbers of c are d_j'r, which are 0 in the support;
    # the others are minus the coefficients. A unit step takes a from c.
    double* c
    double* a
    double* z                   # (capacity,) products of the direction with the basis
    double* rate                # (p,) working memory
    char* state                 # (p,) FREE, USED or BLOCKED
    int* support                # (p,) active atoms, in order of entry
    int* blocked                # (p,) atoms that lie in the span of the support
    int n_blocked
    # the answer
    int count                   # active atoms
    double* values              # (p,) their coefficients
    # level is lam, or the level at which `most` ended the homotopy. For a pursuit it is the
    # largest |d_j'r| that is left.
    double level
    double gap                  # the certificate over y'y / 2 (l1) or over |y| (pursuits)
    double residual             # r'r
    long steps

cdef enum AtomState:
    FREE = 0
    USED = 1
    BLOCKED = 2


cdef double rounded(const Signal* s) noexcept nogil
cdef int follow(Signal* s) noexcept nogil
