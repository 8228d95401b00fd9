"""How alike vectors are: exactly, row by row, and about, for a first choice."""

from __future__ import annotations

from typing import TypeAlias

from kataribe.domain.arrays import np, npt

DECIMALS = 6
"""Scores are rounded to this many decimals before they are compared (P2)."""

Floats: TypeAlias = "npt.NDArray[np.float64]"


def rounded(scores: Floats) -> Floats:
    """Round scores of any shape to `DECIMALS`; each by itself, whatever stands beside it."""
    return scores.round(DECIMALS)


def exact_similarities(matrix: npt.NDArray[np.float32], vector: npt.NDArray[np.float32]) -> Floats:
    """Give the rounded cosine of `vector` (dimensions,) with each row of `matrix` (rows, dimensions).

    Rows and vector are of unit length or zero. Each row is multiplied and summed by itself
    in float64, so that its score does not depend on which rows stand beside it.
    """
    products = matrix.astype(np.float64)
    products *= vector.astype(np.float64)
    return rounded(products.sum(axis=1))


FEW_PRODUCTS = 9000
"""So many products of two numbers BLAS adds up in the thread that asks; of more it wakes other threads."""


def fast_products(
    matrix: npt.NDArray[np.float32], vector: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    """Give about the product of `vector` (dimensions,) with each row of `matrix` (rows, dimensions).

    It is worked out in the calling thread alone. A matrix times a vector is bound by memory: the threads
    of BLAS make it hardly quicker where they are free, and many times slower where they are not.
    """
    rows, width = matrix.shape
    found = np.empty(rows, dtype=np.float32)
    together = max(1, FEW_PRODUCTS // max(1, width))
    whole = rows // together * together
    if whole:
        np.matmul(
            matrix[:whole].reshape(-1, together, width), vector, out=found[:whole].reshape(-1, together)
        )
    if whole < rows:
        np.matmul(matrix[whole:], vector, out=found[whole:])
    return found
