/**
 * BED out of any source of bytes.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SEQ_BED_IN_H
#define BIRD_SEQ_BED_IN_H

#include "dnabird/region.h"
#include "seq/input.h"

/** As bird_regions_read_bed(), from what is open as `in`. */
BIRD_MUST_CHECK int bird_bed_read(bird_regions *list, struct bird_input *in);

#endif
