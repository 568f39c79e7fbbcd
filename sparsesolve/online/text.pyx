"""TextParser: parses rows of SVMlight, Vowpal Wabbit and CSV text as they are read.

    svmlight    label index:value index:value ... # comment      (qid:... is left out)
    vw          label [weight] ['tag]|namespace name[:value] name ... |namespace ...
    csv         number,number,...                                 (after a line of column names)

Given: bytes that hold whole lines. Returned: labels, weights, and entries in the form of CSR.
Numbers are read by `Scanner`. Names of vw are hashed (FNV-1a, 64 bits) into 2^bits features; whole
numbers are features themselves.
"""
from libc.math cimport INFINITY
from libc.stdint cimport uint64_t
from libc.string cimport memchr, memcmp

import numpy as np

from sparsesolve.online.scanner cimport Scanner, is_space

FORMATS = ("svmlight", "vw", "csv")

cpdef enum Role:                    # of columns of csv without a feature
    RESPONSE = -1
    WEIGHT = -2
    IGNORED = -3

# The largest index.
cdef long long MOST = 2147483646
# These are the constants of FNV-1a.
cdef uint64_t BASIS = 0xcbf29ce484222325, PRIME = 0x100000001b3


cdef class TextParser(Scanner):
    """Parses blocks of whole lines.

    Parameters
    ----------
    format : {"svmlight", "vw", "csv"}
    first : int
        svmlight: number of the first feature.
    bits : int
        vw: names are hashed into 2^bits features.
    roles : (columns,) intc
        csv: the feature of a column, or RESPONSE, WEIGHT or IGNORED.
    separator : str
        csv: the character between cells.
    """
    cdef readonly str format
    cdef readonly Py_ssize_t lines      # lines read so far
    cdef int first, bits
    cdef int[::1] roles
    cdef double[::1] labels, weights, values
    cdef Py_ssize_t[::1] starts
    cdef int[::1] columns
    cdef Py_ssize_t n, nnz

    def __init__(self, format, first=1, bits=18, roles=(), separator=","):
        self.format, self.first, self.bits = format, first, bits
        self.roles = np.array(roles, dtype=np.intc)
        self.separator = ord(separator)
        self.labels, self.weights, self.starts = np.empty(64), np.empty(64), np.zeros(65, np.intp)
        self.values, self.columns = np.empty(1024), np.empty(1024, np.intc)

    def skip_line(self):
        """Count a line that another reader has read."""
        self.lines += 1

    def parse(self, bytes text):
        """Return labels (n,), weights (n,), start (n + 1,), columns and values of the lines of
        `text`.

        ValueError names the line, counted from the first line of the first text.
        """
        cdef const char* here = text
        cdef const char* stop = here + len(text)
        cdef const char* line
        self.n = self.nnz = 0
        while here < stop:
            line = here
            here = <const char*> memchr(line, c'\n', stop - line)
            here = here if here != NULL else stop
            self.lines += 1
            self.at, self.end = line, here
            self.make_room(here - line)
            if not self.parse_line():
                raise ValueError(f"line {self.lines}: {self.wrong}")
            here += 1
        n, nnz = self.n, self.nnz
        return (np.array(self.labels[:n]), np.array(self.weights[:n]),
                np.array(self.starts[:n + 1]),
                np.array(self.columns[:nnz]), np.array(self.values[:nnz]))

    cdef int make_room(self, Py_ssize_t length) except -1:
        """Allocate memory for one more row, with at most as many entries as characters."""
        if self.n + 1 >= self.labels.shape[0]:
            size = 2 * self.labels.shape[0]
            self.labels, self.weights = np.resize(self.labels, size), np.resize(self.weights, size)
            self.starts = np.resize(self.starts, size + 1)
        if self.nnz + length > self.values.shape[0]:
            size = 2 * (self.nnz + length)
            self.values = np.resize(self.values, size)
            self.columns = np.resize(self.columns, size)
        return 0

    cdef bint parse_line(self) except -1:
        """Add the row of a line, if it has one; on False, `wrong` holds a sentence."""
        cdef Py_ssize_t before = self.nnz
        if self.format == "csv":
            done = self.parse_csv()
        else:
            self.skip()
            if self.at == self.end or (self.format == "svmlight" and self.at[0] == c'#'):
                return True
            self.weights[self.n] = 1.0
            done = self.parse_svmlight() if self.format == "svmlight" else self.parse_vw()
        if not done:
            return False
        if self.n == 0:
            self.starts[0] = 0
        self.n += 1
        self.starts[self.n] = self.nnz
        return before <= self.nnz

    cdef bint parse_svmlight(self) except -1:
        cdef long long index
        cdef const char* cell
        if not self.number(&self.labels[self.n]):
            return self.refuse(self.at, "is not a number")
        while True:
            self.skip()
            if self.at == self.end or self.at[0] == c'#':
                return True
            cell = self.at
            if self.end - cell > 4 and memcmp(cell, <const char*> b"qid:", 4) == 0:
                self.skip_word()
                continue
            index = self.integer()
            if index < 0 or self.at == self.end or self.at[0] != c':':
                return self.refuse(cell, "is not index:value")
            self.at += 1
            if not self.number(&self.values[self.nnz]):
                return self.refuse(cell, "is not index:value")
            if index < self.first or index - self.first > MOST:
                return self.refuse(cell, f"has an index out of {self.first} to {self.first + MOST}")
            self.columns[self.nnz] = <int> (index - self.first)
            self.nnz += 1

    cdef bint parse_vw(self) except -1:
        cdef uint64_t space = BASIS
        cdef double scale = 1.0, value
        cdef const char* cell
        cdef Py_ssize_t numbers = 0
        # Label, weight and tag.
        while True:
            self.skip()
            if self.at == self.end or self.at[0] == c'|':
                break
            cell = self.at
            if cell[0] == c'\'':
                self.skip_name()
                continue
            if numbers > 2 or not self.number(&value):
                return self.refuse(cell, "is neither a label, a weight nor a 'tag")
            if numbers == 0:
                self.labels[self.n] = value
            elif numbers == 1:
                if not 0.0 <= value < INFINITY:
                    return self.refuse(cell, "is no weight; weights are at least 0")
                self.weights[self.n] = value
            numbers += 1
        if numbers == 0:
            self.wrong = "there is no label before the first |"
            return False
        while self.at < self.end:
            if self.at[0] == c'|':
                self.at += 1
                space, scale, cell = BASIS, 1.0, self.at
                while self.at < self.end and not is_space(self.at[0]) and self.at[0] != c':':
                    space = (space ^ <unsigned char> self.at[0]) * PRIME
                    self.at += 1
                if self.at < self.end and self.at[0] == c':':
                    self.at += 1
                    if not self.number(&scale):
                        return self.refuse(cell, "is not namespace:scale")
                self.skip()
                continue
            if not self.vw_feature(space, scale):
                return False
            self.skip()
        return True

    cdef bint vw_feature(self, uint64_t space, double scale) except -1:
        """Read name or name:value."""
        cdef const char* cell = self.at
        cdef uint64_t h = space
        cdef long long number = self.integer()
        cdef bint whole = space == BASIS and 0 <= number <= MOST and self.name_ends()
        if not whole:
            self.at = cell
            while not self.name_ends():
                h = (h ^ <unsigned char> self.at[0]) * PRIME
                self.at += 1
        if self.at == cell:
            return self.refuse(cell, "has no name")
        self.values[self.nnz] = 1.0
        if self.at < self.end and self.at[0] == c':':
            self.at += 1
            if not self.number(&self.values[self.nnz]):
                return self.refuse(cell, "is not name:value")
        self.values[self.nnz] *= scale
        h = <uint64_t> number if whole else h ^ (h >> 32)
        self.columns[self.nnz] = <int> (h & ((<uint64_t> 1 << self.bits) - 1))
        self.nnz += 1
        return True

    cdef bint parse_csv(self) except -1:
        cdef int column = 0, role, n_columns = <int> self.roles.shape[0]
        cdef double value
        cdef const char* cell
        self.weights[self.n], self.labels[self.n] = 1.0, 0.0
        self.skip()
        if self.at == self.end:
            self.wrong = "the line is empty"
            return False
        while True:
            self.skip()
            cell, role = self.at, self.roles[column] if column < n_columns else IGNORED
            if role == IGNORED:
                while self.at < self.end and self.at[0] != self.separator:
                    self.at += 1
            elif not self.number(&value):
                return self.refuse(cell, f"in column {column + 1} is not a number")
            self.skip()
            if role == RESPONSE:
                self.labels[self.n] = value
            elif role == WEIGHT:
                if not 0.0 <= value < INFINITY:
                    return self.refuse(cell, "is no weight; weights are at least 0")
                self.weights[self.n] = value
            elif role >= 0 and value != 0.0:
                self.values[self.nnz], self.columns[self.nnz] = value, role
                self.nnz += 1
            column += 1
            if self.at == self.end:
                break
            if self.at[0] != self.separator:
                return self.refuse(cell, f"in column {column} is not a number")
            self.at += 1
        if column != n_columns:
            self.wrong = f"the line has {column} cells for {n_columns} columns"
            return False
        return True
