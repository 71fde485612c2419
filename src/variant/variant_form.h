/**
 * Forms of the output of `variant`: what options and a file's name ask for.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_PREDICT_VARIANT_FORM_H
#define BIRD_PREDICT_VARIANT_FORM_H

#include "dnabird/variant.h"
#include "track/output.h"

/** enum bird_variant_format: the one given, else what the name tells. */
int bird_variant_format_of(const bird_variant_options *o);

/** How its bytes are written; tables are bgzipped where their name says so. */
enum bird_container bird_variant_kind_of(const bird_variant_options *o);

#endif
