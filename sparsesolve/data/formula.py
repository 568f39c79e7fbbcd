"""Formulas: what "y ~ a * b + bs(age, 4)" makes of the columns of a table, and of new tables.

formulaic parses a formula, and computes splines and other functions that learn from the first
table. Levels and gaps are those of `make_design`: a term is the product of the columns of its
factors, with a column for each combination of levels.

Only FUNCTIONS may be called. So a formula runs no other code, also if it comes from a file, and
all that it has learned is numbers, which JSON can hold.
"""

from __future__ import annotations

import ast
import difflib
import re
from copy import deepcopy
from importlib import import_module
from typing import NamedTuple

import numpy as np
from scipy import sparse

from .number import some_of

# Functions of formulaic that learn from the first table, and functions of numbers.
STATEFUL = ("bs", "cc", "center", "cr", "cs", "poly", "scale")
FUNCTIONS = ("I", "abs", "exp", "log", "log10", "log1p", "log2", "sqrt", *STATEFUL)
SAFE = (ast.Expression, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Add, ast.Sub, ast.Mult, ast.Div,
        ast.Pow, ast.UAdd, ast.USub, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq,
        ast.Constant, ast.Name, ast.Load, ast.Call, ast.keyword, ast.List, ast.Tuple)  # fmt: skip


class Factor(NamedTuple):
    """A factor of a term: a column of the table, or an expression of columns of numbers."""

    text: str
    is_column: bool


class Formula(NamedTuple):
    """The right side of a formula."""

    terms: list  #: of pairs: the name of a term, and its Factors
    categories: list  #: columns of numbers that C() makes categories of
    state: dict  #: what functions have learned from the first table; empty before

    def labelled(self, columns):
        """Return columns in the form of `read_mixed_columns`, numbers in C() as categories."""
        return {name: _category(column) if name in self.categories else column
                for name, column in columns.items()}  # fmt: skip

    def expanded(self, matrix, names, sources):
        """Return the matrix of all terms, and the names and the terms of its columns.

        `matrix` (n, q) has the columns of the table as `make_design` encodes them, without gaps;
        `names` (q,) are their names, and `sources` the columns of the table that they came from.
        """
        state = deepcopy(self.state)
        places, made, found = {}, {}, []
        for j, source in enumerate(sources):
            places.setdefault(source, []).append(j)
        for label, factors in self.terms:
            for factor in factors:
                if factor not in made and factor.is_column:
                    which = places[factor.text]
                    made[factor] = matrix[:, which], [names[j] for j in which]
                elif factor not in made:
                    numbers = _numbers(factor.text, matrix, places, names)
                    made[factor] = _computed(factor.text, numbers, state, sparse.issparse(matrix))
            block, labels = made[factors[0]]
            for factor in factors[1:]:
                block, labels = _product(block, labels, *made[factor])
            found.append((block, labels, [label] * len(labels)))
        blocks, named, terms = zip(*found, strict=True)
        whole = (sparse.csc_array(sparse.hstack(blocks, format="csc"))
                 if sparse.issparse(matrix) else np.asfortranarray(np.hstack(blocks)))  # fmt: skip
        if self.state and _keys(state) != _keys(self.state):
            raise ValueError("the functions of the formula lack what they have learned")
        self.state.update({} if self.state else state)
        return whole, sum(named, []), sum(terms, [])


def read_formula(text, names, apart=()):
    """Return the Formula of a text, the columns that it uses, and the Factors of the response.

    `names` are the columns of the table; "." does not stand for those `apart`. ValueError says why
    the text is no formula, or names a column that the table does not have.
    """
    found = _parsed(text, [name for name in names if name not in apart])
    response = [_factor(term, names) for term in getattr(found, "lhs", [])]
    terms = [term for term in getattr(found, "rhs", found) if str(term) != "1"]
    terms.sort(key=lambda term: len(term.factors))  # single columns first, as in R
    if "1" not in map(str, getattr(found, "rhs", found)):
        raise ValueError(f"formula {text!r} leaves out the intercept; write it without 0 and -1, "
                         "and give intercept=False")  # fmt: skip
    if not terms:
        raise ValueError(f"formula {text!r} has no term to the right of ~")
    categories = set()
    read = [(str(term).replace("`", ""), [_factor_of(factor, names, categories)
             for factor in term.factors]) for term in terms]  # fmt: skip
    used, inside = {}, []
    for factor in (factor for _, factors in read for factor in factors):
        found = [factor.text] if factor.is_column else variables(factor.text, names)
        used |= dict.fromkeys(found)
        inside += [] if factor.is_column else found
    inside += [factor.expr for term in terms for factor in term.factors]
    both = [name for name in inside if name in categories]
    if both:
        raise ValueError(f"formula {text!r} has {both[0]!r} as numbers and within C(); make a "
                         "second column of it for one of them")  # fmt: skip
    return Formula(read, sorted(categories), {}), list(used), response


def response_of(factors, columns):
    """Return y as the Factors to the left of ~ say, from columns by name; None without any.

    One column is as it is in the table, with its labels; Surv(time, status) is a tuple of
    columns, and several terms a matrix (n, K).
    """
    if not factors:
        return None
    found = [_response(factor, columns) for factor in factors]
    if len(found) == 1:
        return found[0]
    if any(isinstance(column, tuple) for column in found):
        raise ValueError("Surv() stands alone to the left of ~")
    return np.column_stack([np.asarray(column) for column in found])


def response_names(factors, names):
    """Return the columns that the Factors to the left of ~ name."""
    each = ([f.text] if f.is_column else variables(f.text, names, "Surv") for f in factors)
    return list(dict.fromkeys(sum(each, [])))


def variables(text, names, *functions):
    """Return the columns in an expression; ValueError if it does anything but call FUNCTIONS.

    `functions` may be called besides.
    """
    aliases, found = {}, []
    clean = _formulaic("utils.code").sanitize_variable_names
    try:
        tree = ast.parse(clean(text, dict.fromkeys(names), aliases), mode="eval")
    except SyntaxError:
        raise ValueError(f"{text} is no expression of functions and columns") from None
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    allowed = {*FUNCTIONS, *functions}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and any(node is call for call in calls):
            if node.id not in allowed:
                raise ValueError(
                    f"{text}: {node.id} is none of the functions of formulas, "
                    f"{', '.join(sorted(allowed))}; make a column of it first"
                )
        elif isinstance(node, ast.Name):
            found.append(_known(aliases.get(node.id, node.id), names))
        elif not isinstance(node, SAFE) or _is_risky(node):
            bare = re.sub(r"\b(np|numpy)\.", "", text)
            remedy = "make a column of it first" if bare == text else f"write {bare}"
            raise ValueError(f"{text}: a formula takes functions of columns and arithmetic; "
                             f"{remedy}")  # fmt: skip
    if not found:
        raise ValueError(f"{text} holds no column; an intercept is there in any case")
    return list(dict.fromkeys(found))


def _is_risky(node):
    """Return True for formulaic's own keywords, and for arithmetic that may give any size."""
    if isinstance(node, ast.keyword):
        return node.arg is None or node.arg.startswith("_")
    sides = [node.left, node.right] if isinstance(node, ast.BinOp) else []
    if sides and isinstance(node.op, ast.Pow):
        if not any(isinstance(part, ast.Name) for part in ast.walk(node.left)):
            return True
    return any(isinstance(side, (ast.List, ast.Tuple)) or (
        isinstance(side, ast.Constant) and not isinstance(side.value, (int, float)))
        for side in sides)  # fmt: skip


def _formulaic(module):
    """Return a module of formulaic, which is imported when needed."""
    try:
        return import_module(f"formulaic.{module}")
    except ImportError:
        raise ImportError("formulas need formulaic: pip install 'sparsesolve[formula]'") from None


def _parsed(text, names):
    parser = _formulaic("parser").DefaultFormulaParser()
    try:
        found = parser.get_terms(text, context={"__formulaic_variables_available__": names})
    except _formulaic("errors").FormulaicError as error:
        raise ValueError(f"formula {text!r}: {str(error).splitlines()[0]}") from None
    except SyntaxError as error:
        raise ValueError(f"formula {text!r} has a part that is no expression, "
                         f"{error.text.strip()!r}") from None  # fmt: skip
    found = getattr(found, "root", found)
    if isinstance(getattr(found, "rhs", found), tuple):
        raise ValueError(f"formula {text!r} has several parts; write one, without |")
    return found


def _factor(term, names):
    """Return the Factor of a term of the response."""
    if len(term.factors) != 1:
        raise ValueError(f"{term} stands to the left of ~, where a column or a function of "
                         "columns belongs")  # fmt: skip
    return _factor_of(term.factors[0], names, None, "Surv")


def _factor_of(factor, names, categories, *functions):
    """Return the Factor of formulaic's; the column of C() is added to the set `categories`."""
    text, how = factor.expr, factor.eval_method.value
    if how == "lookup":
        return Factor(_known(text, names), True)
    if how != "python":
        raise ValueError(f"{text} is no column; a formula takes columns and functions of them")
    inside = variables(text, names, *functions, *([] if categories is None else ["C"]))
    if not re.search(r"\bC\(", text):
        return Factor(text, False)
    if not re.fullmatch(r"C\((`[^`]*`|\w+)\)", text):
        raise ValueError(f"{text}: C() takes a column, and nothing else; every level has a column "
                         "of its own")  # fmt: skip
    categories.add(inside[0])
    return Factor(inside[0], True)


def _keys(state):
    """Return the names in a tree of dicts."""
    return {key: _keys(part) for key, part in state.items()} if isinstance(state, dict) else None


def _known(name, names):
    if name not in names:
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"it has {some_of(names, 6)}"
        raise ValueError(f"the formula names {name!r}, which is no column of the table; {hint}")
    return name


def _category(column):
    """Return a column of numbers as labels, whole numbers as such."""
    if isinstance(column, tuple):
        return column
    labels = [None if np.isnan(x) else int(x) if x == int(x) else x for x in column.tolist()]
    return np.array([*labels, None], dtype=object)[:-1], None


def _response(factor, columns):
    if factor.is_column:
        return columns[factor.text]
    names = variables(factor.text, list(columns), "Surv")
    if factor.text.startswith("Surv("):
        return tuple(columns[name] for name in names)
    numbers = {name: np.asarray(columns[name], dtype=float) for name in names}
    value = np.asarray(_evaluated(factor.text, numbers, {}), dtype=float)
    return value


def _numbers(text, matrix, places, names):
    """Return the columns in an expression, by name."""
    numbers = {}
    for name in variables(text, list(places)):
        j = places[name][0]
        if names[j] != name:
            raise ValueError(f"{text} takes numbers, and column {name!r} holds labels")
        column = matrix[:, [j]]
        numbers[name] = (column.toarray() if sparse.issparse(column) else column)[:, 0]
    return numbers


def _computed(text, numbers, state, as_sparse):
    """Return the columns of an expression, and their names."""
    value = _evaluated(text, numbers, state)
    if isinstance(value, dict):
        block, inside = np.column_stack(list(value.values())), list(value)
    else:
        block = np.asarray(value, dtype=float)
        inside = [] if block.ndim < 2 else range(1, block.shape[1] + 1)
        block = block[:, None] if block.ndim == 1 else block
    if block.ndim != 2 or not all(len(block) == len(x) for x in numbers.values()):
        raise ValueError(f"{text} is not one value for each row")
    if not np.isfinite(block).all():
        i = int((~np.isfinite(block)).any(axis=1).argmax())
        raise ValueError(f"{text} is {block[i][~np.isfinite(block[i])][0]} at row {i} (counted "
                         "from 0)")  # fmt: skip
    text = text.replace("`", "")
    names = [f"{text}[{k}]" for k in inside] if inside else [text]
    return sparse.csc_array(block) if as_sparse else block, names


def _evaluated(text, numbers, state):
    """Return the value of an expression, whose functions keep what they learn in `state`."""
    learning = _formulaic("transforms").TRANSFORMS
    evaluate = _formulaic("utils.stateful_transforms").stateful_eval
    functions = {name: learning[name] if name in STATEFUL else getattr(np, name)
                 for name in FUNCTIONS if name != "I"}  # fmt: skip
    try:
        with np.errstate(all="ignore"):  # what is not finite is refused
            return evaluate(text, {**numbers, **functions, "I": np.asarray}, {}, state, None)
    except (ArithmeticError, AttributeError, IndexError, TypeError, ValueError) as error:
        raise ValueError(f"{text}: {error}") from None


def _product(first, names, second, others):
    """Return all products of columns of two blocks, those of the first going fastest."""
    one = np.tile(np.arange(len(names)), len(others))
    other = np.repeat(np.arange(len(others)), len(names))
    return (first[:, one] * second[:, other],
            [f"{names[i]}:{others[j]}" for i, j in zip(one, other, strict=True)])  # fmt: skip
