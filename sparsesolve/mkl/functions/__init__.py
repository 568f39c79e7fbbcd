"""Kernel functions of two tables, one file each, and low-rank forms of them.

A kernel function is any callable (A, B) -> (len(A), len(B)) array, symmetric and positive
semidefinite. Those of this folder also answer `diagonal(A)`, the values k(a, a). Functions of low
rank answer `features(A)`, some of them nothing else: from the table of the fit, a function of
tables that gives their factors Z, with k(A, B) = Z(A) Z(B)'.
"""
