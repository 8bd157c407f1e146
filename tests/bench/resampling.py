"""Bootstrap intervals."""

from collections.abc import Sequence

import numpy as np

_DRAWS = 10_000


def mean_and_interval(values: Sequence[float]) -> str:
    """A mean with its 95 % interval over 10,000 resamples of the values."""
    if not values:
        return "-"
    array = np.asarray(values, float)
    dice = np.random.default_rng(0)
    means = [array[dice.integers(0, len(array), len(array))].mean() for _ in range(_DRAWS)]
    low, high = np.percentile(means, [2.5, 97.5])
    return f"{array.mean():.3f} [{low:.3f}, {high:.3f}]"
