/**
 * Files of the source tree that tests read.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TESTS_DATA_HELP_H
#define BIRD_TESTS_DATA_HELP_H

#include <stdio.h>
#include <stdlib.h>

/* The small model that most tests score with, and a vocabulary of words. */
#define DATA_MODEL "data/model"
#define DATA_WORDS "golden/t_bpe_tiny/tokenizer.json"

/* The path of a file or folder in tests/; four of them live at once. */
static inline const char *data_path(const char *name)
{
    static char paths[4][512];
    static int k;

    k = (k + 1) % 4;
    snprintf(paths[k], sizeof(paths[k]), "%s/%s", getenv("BIRD_TEST_DATA"),
             name);
    return paths[k];
}

#endif
