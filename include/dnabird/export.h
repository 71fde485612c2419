/**
 * A model folder written anew: in another precision, compressed, with
 * thresholds and facts that were measured since.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_EXPORT_H
#define DNABIRD_EXPORT_H

#include "dnabird/error.h"

typedef struct bird_export_options {
    int bf16;               /* weights as bfloat16, rounded to nearest even;
                               else float32 */
    int compress;           /* model.safetensors.zst, which transformers does
                               not open; else model.safetensors */
    const char *thresholds; /* file of `evaluate scan --choose`: its stranded
                               thresholds go into the model; or NULL */
    double default_rate;    /* false calls per Mb of the default threshold */
    const char *facts;      /* JSON object whose fields go into dnabird.json,
                               over those that are there; or NULL */
    int force;              /* replace a model that is there */
} bird_export_options;

/** Fill with: float32, plain, nothing added, 5 false calls per Mb. */
BIRD_API void bird_export_options_default(bird_export_options *o);

/**
 * Write the model of folder `from` as folder `to`, with its tokenizer and its
 * stored floors. The object `run` of dnabird.json, which tells how and when a
 * training was run, is left behind. The folder is made as a whole, and one
 * rename puts it in its place: after a failure it is not there, or as it was.
 * Without `force` its place is free or an empty folder. With it a model's
 * folder is replaced, nothing of the old one stays; one with other files or
 * with folders in it is refused all the same.
 *
 * Errors  those of opening a model; BIRD_EINVAL the folders are one, the place
 *         is taken, or the thresholds have none at default_rate;
 *         BIRD_EUNSUPPORTED transformers cannot compute this model, and the
 *         weights are not compressed, by which it is said to be for dnabird
 *         alone; BIRD_EIO,
 *         BIRD_EFORMAT
 */
BIRD_API BIRD_MUST_CHECK int bird_export(const char *from, const char *to,
                                         const bird_export_options *o);

#endif
