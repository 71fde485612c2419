/* Options on how variants are scored. SPDX-License-Identifier: MIT */
#include "way.h"

#include "cli.h"

int way_take(bird_variant_way *way, const struct way_choice *c)
{
    static const enum bird_strand strands[] = {
        BIRD_STRAND_BOTH, BIRD_STRAND_PLUS, BIRD_STRAND_MINUS};

    way->strand = strands[c->strand];
    way->free_tokens = c->tokens;
    way->precision = (enum bird_precision)c->precision;
    return cli_threads(c->threads);
}
