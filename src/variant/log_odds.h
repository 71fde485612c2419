/**
 * Log odds of probabilities that may be 0 or 1.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_VARIANT_LOG_ODDS_H
#define BIRD_VARIANT_LOG_ODDS_H

#include <math.h>

/** Probabilities are kept this far from 0 and 1. */
#define BIRD_LOG_ODDS_CLIP 1e-7

/** ln(p / (1 - p)). */
static inline double bird_log_odds(double p)
{
    p = p < BIRD_LOG_ODDS_CLIP ? BIRD_LOG_ODDS_CLIP : p;
    p = p > 1 - BIRD_LOG_ODDS_CLIP ? 1 - BIRD_LOG_ODDS_CLIP : p;
    return log(p) - log1p(-p);
}

#endif
