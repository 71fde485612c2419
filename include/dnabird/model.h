/**
 * A model folder: configuration, weights, tokenizer, and what dnabird adds.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_MODEL_H
#define DNABIRD_MODEL_H

#include <stdint.h>

#include "dnabird/error.h"

#endif
