"""Small models whose losses and gradients are worked out by hand, for the labs that compare ways to average them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evidence.labs.draw import F64, I64, Stream


@dataclass(frozen=True, slots=True)
class Softmax:
    """A linear classifier with cross-entropy loss: the last layer of a language model, small."""

    weight: F64
    """[features, classes]"""

    @classmethod
    def drawn(cls, stream: Stream, features: int, classes: int) -> Softmax:
        """Weights of about 1/sqrt(features)."""
        return cls(stream.bell(features, classes) / np.sqrt(features))

    def log_shares(self, inputs: F64) -> F64:
        """Log of the probability of every class, a row a token."""
        scores = inputs @ self.weight
        scores = scores - scores.max(axis=1, keepdims=True)
        return np.asarray(scores - np.log(np.exp(scores).sum(axis=1, keepdims=True)))

    def losses(self, inputs: F64, targets: I64) -> F64:
        """Loss of each token, in nats."""
        return np.asarray(-self.log_shares(inputs)[np.arange(len(targets)), targets])

    def gradient_sum(self, inputs: F64, targets: I64) -> F64:
        """Gradient of the *sum* of the losses with respect to the weight; divide by the tokens for that of their mean."""
        shares = np.exp(self.log_shares(inputs))
        shares[np.arange(len(targets)), targets] -= 1.0
        return np.asarray(inputs.T @ shares)

    def stepped(self, gradient: F64, rate: float) -> Softmax:
        """The model after one step of plain gradient descent."""
        return Softmax(self.weight - rate * gradient)
