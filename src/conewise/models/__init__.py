"""Declare priors over the values of designs, as frozen values.

    cw.models.Independent()          designs have nothing to do with each other.
    cw.models.Linear(features)       a linear trend in the features, and independent remainders.
    cw.models.Smooth(features)       designs with similar features have similar values.

Each is a finite mixture of Gaussian priors (docs/posterior). Sizes and length scales are integrated over a list. None
of them is fitted. A promise made with one of them holds on average over that prior.
"""

from conewise.models.priors import Independent, Linear, Prior, Smooth

__all__ = ["Independent", "Linear", "Prior", "Smooth"]
