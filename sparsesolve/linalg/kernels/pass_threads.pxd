"""ThreadCount: how many threads share a pass when other processes may use the cores."""

# Cost of a multiply-add in a product of matrices, in values that a pass reads once.
cdef double OPERATION

cdef int begin_pass(int wanted) noexcept nogil
cdef double clock() noexcept nogil
cdef void end_pass(int threads, double begun, double values) noexcept nogil
