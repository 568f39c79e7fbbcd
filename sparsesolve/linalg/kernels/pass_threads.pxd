"""ThreadCount: how many threads share a pass, while others may keep the cores busy."""

cdef double OPERATION   # a multiply-add in a product of matrices, in values that a pass meets once

cdef int begin_pass(int wanted) noexcept nogil
cdef double clock() noexcept nogil
cdef void end_pass(int threads, double begun, double values) noexcept nogil
