"""Constants of the homotopy (solvers/homotopy)."""

# At lambda = 0 the least squares on all columns are computed only if the gap, relative to the
# null objective, exceeds this.
EXPLAINED = 1e-10

# Values of a dense design that is kept unpacked (32 MB); larger ones are unpacked block by block
# for each product.
SMALL_DESIGN = 4_000_000

# Share of stored values from which dense kernels are faster than sparse products.
DENSE_FROM = 0.15

# Knots before the first check of all columns; the number then doubles.
FIRST_KNOTS = 16

# Knots between two checks at most, twice as many with all columns in the window.
MOST_KNOTS = 64

# Up to this many columns all are in the window from the second batch on, by their Gram matrix.
FEW_COLUMNS = 600

# Entries of the factor that triangular solves may read between two looks at Ctrl-C: about a tenth
# of a second.
WORK = 2e8

# Columns of the window for every knot to come. More cost time at every knot, fewer are missed and
# make the batch begin again.
COLUMNS_PER_KNOT = 2.0

# Columns of the window beyond those.
SPARE_COLUMNS = 32

# A missed column widens the window by this factor.
WIDER = 1.5

# A batch without a missed column narrows the window by this factor.
NARROWER = 0.95
