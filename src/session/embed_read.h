/**
 * The input of `embed`: FASTA records, BED intervals of a reference, or lines of
 * token ids. SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SESSION_EMBED_READ_H
#define BIRD_SESSION_EMBED_READ_H

#include "base/text.h"
#include "dnabird/embed.h"
#include "dnabird/tokenizer.h"
#include "model/config.h"
#include "session/pack.h"

/**
 * Read all sequences that the options name, in order, as token ids into p.
 * @param names  takes the names of the rows, for a format with names: of
 * sequences, or of tokens where their logits are asked for; or NULL
 * @param t  NULL when the input is ids
 * Errors: BIRD_ERANGE a sequence too long or an id outside the vocabulary,
 * BIRD_EFORMAT, BIRD_EIO; the message names file and record
 */
BIRD_MUST_CHECK int bird_embed_read(struct bird_pack *p,
                                    struct bird_text *names,
                                    const bird_embed_options *o,
                                    const struct bird_config *c,
                                    const bird_tokenizer *t);

#endif
