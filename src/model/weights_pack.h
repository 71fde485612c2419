/**
 * Packed copies of the weights of linear layers; bird_weights_prepare() and
 * bird_weights_free() are for everybody else. SPDX-License-Identifier: MIT
 */
#ifndef BIRD_MODEL_WEIGHTS_PACK_H
#define BIRD_MODEL_WEIGHTS_PACK_H

#include "model/weights.h"

/**
 * Pack every linear layer that has no weights in lower precision, heads
 * included, in all threads. Errors: BIRD_ENOMEM; nothing is packed then
 *
 * @param mapped  as bird_weights_prepare() has it
 */
BIRD_MUST_CHECK int bird_weights_pack(struct bird_weights *w,
                                      const struct bird_config *c, int mapped);

/** Give the packed copies back. */
void bird_weights_unpack(struct bird_weights *w);

#endif
