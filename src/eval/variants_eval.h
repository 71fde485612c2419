/**
 * Inside bird_evaluate_variants(): metrics, printing, the page.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_EVAL_VARIANTS_EVAL_H
#define BIRD_EVAL_VARIANTS_EVAL_H

#include <stdio.h>

#include "eval/allele_set.h"

struct bird_variants_evaluating {
    const bird_variants_options *o;
    struct bird_allele_set set;
    bird_variants_evaluation e;
};

/** Fill v->e with the metrics of v->set. Errors: BIRD_ENOMEM, BIRD_ECANCELED */
BIRD_MUST_CHECK int bird_variants_measure(struct bird_variants_evaluating *v);

/** Write the metrics as an HTML page with plots.
 *  Errors: BIRD_EIO, BIRD_EFORMAT, BIRD_ENOMEM */
BIRD_MUST_CHECK int
bird_variants_print_page(FILE *f, const struct bird_variants_evaluating *v);

#endif
