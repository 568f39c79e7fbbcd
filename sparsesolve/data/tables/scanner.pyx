"""Scanner: reads cells of one line of text: blanks, words, digits and numbers.

Given: a line of bytes, from `at` to `end`. Returned: numbers, with `at` behind them. Numbers whose
digits are an integer up to 2^53, with powers of ten up to 22, are exact after one multiplication
or division of doubles. Others are read by Python's own reader, so that every number is the nearest
double. Invariant: at <= end.
Reference: Clinger, "How to read floating point numbers accurately" (1990), for the exact case.
"""
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.math cimport INFINITY
from libc.stdint cimport uint64_t

from sparsesolve.data.tables.scanner cimport is_space

cdef double[23] POWERS
cdef int _power
POWERS[0] = 1.0
for _power in range(1, 23):
    POWERS[_power] = POWERS[_power - 1] * 10.0

TOO_LARGE = <long long> 1 << 62
# All integers up to this are doubles.
cdef uint64_t EXACT = 1 << 53


cdef class Scanner:
    """Reads the cells of a line; subclasses know the layout of a line."""

    cdef bint refuse(self, const char* cell, str why) except -1:
        """Set the sentence on what is wrong with the cell that begins there."""
        cdef const char* last = cell
        while last < self.end and not is_space(last[0]) and last - cell < 40:
            last += 1
        text = PyBytes_FromStringAndSize(cell, last - cell).decode("utf-8", "replace")
        self.wrong = f"{text!r} {why}"
        return False

    cdef bint number(self, double* out) except -1:
        """Read a finite number at `at`, which moves behind it; return False if there is none."""
        cdef const char* begun = self.at
        cdef const char* end = self.end
        cdef bint minus = False
        cdef uint64_t digits = 0
        cdef int count, power = 0
        if self.at < end and (self.at[0] == c'-' or self.at[0] == c'+'):
            minus = self.at[0] == c'-'
            self.at += 1
        count = self.digits(&digits)
        if self.at < end and self.at[0] == c'.':
            self.at += 1
            power = -self.digits(&digits)
            count -= power
        if count == 0 or (self.at < end and self.at[0] | 32 == c'e' and not self.exponent(&power)):
            self.at = begun
            return False
        if self.at < end and not is_space(self.at[0]) and self.at[0] != c'|' \
                and self.at[0] != c'#' and self.at[0] != c':':
            self.at = begun
            return False
        if count <= MOST_DIGITS and digits <= EXACT and -22 <= power <= 22:
            out[0] = <double> digits / POWERS[-power] if power < 0 else digits * POWERS[power]
            if minus:
                out[0] = -out[0]
            return True
        out[0] = float(PyBytes_FromStringAndSize(begun, self.at - begun))
        return -INFINITY < out[0] < INFINITY

    cdef bint exponent(self, int* power) noexcept:
        """Add e, sign and digits to the power of ten; return False if digits are missing."""
        cdef int sign = 1, found = 0
        self.at += 1
        if self.at < self.end and (self.at[0] == c'-' or self.at[0] == c'+'):
            sign = -1 if self.at[0] == c'-' else 1
            self.at += 1
        if self.at == self.end or not c'0' <= self.at[0] <= c'9':
            return False
        while self.at < self.end and c'0' <= self.at[0] <= c'9':
            found = min(10 * found + (self.at[0] - c'0'), 99999)
            self.at += 1
        power[0] += sign * found
        return True
