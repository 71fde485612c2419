/**
 * A lock on an output while a run writes it.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRACK_OUTPUT_LOCK_H
#define BIRD_TRACK_OUTPUT_LOCK_H

#include "base/file.h"

/** Lock the open output until its file is closed; without a temporary file
 *  there is nothing to lock. Errors: BIRD_EIO another run writes this output */
BIRD_MUST_CHECK int bird_output_lock(const struct bird_out *o);

#endif
