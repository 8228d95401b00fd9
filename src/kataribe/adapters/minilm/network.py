"""BERT's forward pass in numpy, one text at a time, and the mean over its tokens."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Tensor = Callable[[str, tuple[int, ...]], Floats]
"""Gives a tensor by name, float32, of just this shape."""

# Rational approximation of erf for float32, within 5e-7 of the true one: powers of x² from the
# highest on. Sums and products alone: the bytes do not hang on a library's exponential.
_ERF_TOP = (
    -2.72614225801306e-10,
    2.77068142495902e-08,
    -2.10102402082508e-06,
    -5.69250639462346e-05,
    -7.34990630326855e-04,
    -2.95459980854025e-03,
    -1.60960333262415e-02,
)
_ERF_BOTTOM = (
    -1.45660718464996e-05,
    -2.13374055278905e-04,
    -1.68282697438203e-03,
    -7.37332916720468e-03,
    -1.42647390514189e-02,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A network's measures, as its `config.json` tells them."""

    vocabulary: int
    positions: int
    types: int
    hidden: int
    inner: int
    layers: int
    heads: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class _Linear:
    """`weight` has shape (in, out), `bias` (out,)."""

    weight: Floats
    bias: Floats

    def __call__(self, x: Floats) -> Floats:
        made: Floats = x @ self.weight
        made += self.bias
        return made


@dataclass(frozen=True, slots=True)
class _Norm:
    """Brings each row to mean 0 and variance 1, then scales and moves it."""

    scale: Floats
    shift: Floats
    epsilon: np.float32

    def __call__(self, x: Floats) -> Floats:
        centred: Floats = x - x.mean(axis=-1, keepdims=True)
        spread = np.square(centred).mean(axis=-1, keepdims=True)
        centred /= np.sqrt(spread + self.epsilon)
        centred *= self.scale
        centred += self.shift
        return centred


@dataclass(frozen=True, slots=True)
class _Layer:
    """Attention, then two linear maps; each with what came in added, and made even."""

    asked: _Linear
    """Query, key and value beside each other."""
    attended: _Linear
    after_attention: _Norm
    widened: _Linear
    narrowed: _Linear
    after_widening: _Norm
    heads: int

    def __call__(self, x: Floats) -> Floats:
        x = self.after_attention(x + self.attended(self._attend(x)))
        return self.after_widening(x + self.narrowed(gelu(self.widened(x))))

    def _attend(self, x: Floats) -> Floats:
        count, hidden = x.shape
        size = hidden // self.heads
        query, key, value = self.asked(x).reshape(count, 3, self.heads, size).transpose(1, 2, 0, 3)
        scores: Floats = query @ key.transpose(0, 2, 1)
        scores *= np.float32(1 / math.sqrt(size))
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True, dtype=np.float32)
        mixed: Floats = scores @ value
        return mixed.transpose(1, 0, 2).reshape(count, hidden)


@dataclass(frozen=True, slots=True)
class Network:
    """A BERT encoder. May be used from several threads."""

    words: Floats
    places: Floats
    """Positions, with the one type of token that a single text has already added."""
    first: _Norm
    layers: tuple[_Layer, ...]

    def vector(self, ids: Sequence[int]) -> Floats:
        """Give the mean of the last layer over all tokens, of length one; shape (hidden,).

        A text runs alone: nothing is padded, so nothing has to be masked, and no other text
        decides how its sums are made (P2).
        """
        x = self.first(self.words[np.asarray(ids)] + self.places[: len(ids)])
        for layer in self.layers:
            x = layer(x)
        total: npt.NDArray[np.float64] = x.sum(axis=0, dtype=np.float64)
        length = math.sqrt(math.fsum((total * total).tolist()))
        made: Floats = (total / (length or 1.0)).astype(np.float32)
        return made


def erf(x: Floats) -> Floats:
    """Give the error function of each number, within 5e-7."""
    x = np.clip(x, -4, 4)
    square = x * x
    top = np.full_like(x, _ERF_TOP[0])
    for factor in _ERF_TOP[1:]:
        top *= square
        top += np.float32(factor)
    bottom = np.full_like(x, _ERF_BOTTOM[0])
    for factor in _ERF_BOTTOM[1:]:
        bottom *= square
        bottom += np.float32(factor)
    top *= x
    top /= bottom
    return top


def gelu(x: Floats) -> Floats:
    """Give x · Φ(x) of each number, Φ the normal distribution's."""
    share = erf(x * np.float32(math.sqrt(0.5)))
    share += 1
    share *= x
    share *= np.float32(0.5)
    return share


def build(tensor: Tensor, shape: Shape) -> Network:
    """Put a network together from its tensors, named as BERT names them."""
    wide = shape.hidden

    def linear(name: str, out: int, into: int) -> _Linear:
        weight = np.ascontiguousarray(tensor(f"{name}.weight", (out, into)).T)
        return _Linear(weight, tensor(f"{name}.bias", (out,)))

    def norm(name: str) -> _Norm:
        scale, shift = tensor(f"{name}.weight", (wide,)), tensor(f"{name}.bias", (wide,))
        return _Norm(scale, shift, np.float32(shape.epsilon))

    def layer(name: str) -> _Layer:
        three = [linear(f"{name}.attention.self.{part}", wide, wide) for part in ("query", "key", "value")]
        asked = _Linear(
            np.concatenate([one.weight for one in three], axis=1),
            np.concatenate([one.bias for one in three]),
        )
        return _Layer(
            asked,
            linear(f"{name}.attention.output.dense", wide, wide),
            norm(f"{name}.attention.output.LayerNorm"),
            linear(f"{name}.intermediate.dense", shape.inner, wide),
            linear(f"{name}.output.dense", wide, shape.inner),
            norm(f"{name}.output.LayerNorm"),
            shape.heads,
        )

    types = tensor("embeddings.token_type_embeddings.weight", (shape.types, wide))
    return Network(
        tensor("embeddings.word_embeddings.weight", (shape.vocabulary, wide)),
        tensor("embeddings.position_embeddings.weight", (shape.positions, wide)) + types[0],
        norm("embeddings.LayerNorm"),
        tuple(layer(f"encoder.layer.{number}") for number in range(shape.layers)),
    )
