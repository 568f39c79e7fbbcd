"""Prox of total variation along a chain, for kernels that call it on many chains."""


cdef int prox_row(Py_ssize_t n, const double* v, double t, double* b) except -1 nogil
