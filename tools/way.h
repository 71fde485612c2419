/**
 * Options that every command on variants has: model, reference, windows.
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_TOOLS_WAY_H
#define DNABIRD_TOOLS_WAY_H

#include "cli_model.h"
#include "dnabird/variant.h"

/** What the texts of choices are read into before they are a way. */
struct way_choice {
    int strand, tokens, precision;
    int64_t threads;
};

/* clang-format off */
/** Rows of an option table, for a bird_variant_params w and a way_choice c. */
#define WAY_OPTIONS(w, c) \
    {'m', "model", OPT_TEXT, &(w)->model, "DIR", \
     "model folder; without it the one that comes with dnabird"}, \
    {'f', "reference", OPT_TEXT, &(w)->fasta, "FASTA", \
     "the genome, plain or bgzipped"}, \
    {0, "window", OPT_INT, &(w)->window_bp, "BP", "0: the model's"}, \
    {0, "shift", OPT_INT, &(w)->shift_bp, "BP", \
     "move every window so much to the right"}, \
    {0, "max-n", OPT_REAL, &(w)->max_unknown, "REAL", \
     "do not score windows with a larger share of N"}, \
    {0, "strand", OPT_CHOICE, &(c)->strand, "both|+|-", \
     "strand to score; both: their mean"}, \
    {0, "tokens", OPT_CHOICE, &(c)->tokens, "anchored|free", \
     "how ALT is encoded: on REF's tokens, or by itself"}, \
    CLI_PRECISION_OPTION(&(c)->precision), \
    {'t', "threads", OPT_INT, &(c)->threads, "INT", \
     "0: the cores this process may use"}
/* clang-format on */

/** Put the choices into the way, and set the threads; 0 or CLI_USAGE. */
int way_take(bird_variant_params *way, const struct way_choice *c);

#endif
