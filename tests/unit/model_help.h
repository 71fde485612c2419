/**
 * A folder with a small model of random weights on single bases, for tests that
 * open models. SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TESTS_MODEL_HELP_H
#define BIRD_TESTS_MODEL_HELP_H

#include "seq_help.h"

enum { MODEL_BIN = 12, MODEL_LABELS = 3 };

/** The folder m: MODEL_LABELS labels, bins of MODEL_BIN bases if the head has
 *  bins; attention is sparse beyond 56 rows. */
static inline const char *model_new(const char *stem, const char *head,
                                    int n_layer, int64_t window_bp)
{
    const char *tokens = path_of("tokenizer.json");
    bird_model_init_options o;
    char config[512];

    snprintf(config, sizeof(config),
             "{\"model_type\": \"big_bird\", \"architectures\": "
             "[\"BigBirdModel\"], \"hidden_size\": 16, "
             "\"num_hidden_layers\": %d, \"num_attention_heads\": 2, "
             "\"intermediate_size\": 32, \"max_position_embeddings\": 256, "
             "\"block_size\": 8, \"num_random_blocks\": 1, "
             "\"initializer_range\": 0.3}",
             n_layer);
    WORKS(bird_kmer_write(tokens, 1, 1, 0));
    bird_model_init_options_default(&o);
    o.config = file_text("config.json", config);
    o.tokenizer = tokens;
    o.stem = stem;
    o.head = head;
    o.labels = "3";
    o.bin_bp = MODEL_BIN;
    o.window_bp = window_bp;
    o.seed = 7;
    WORKS(bird_model_init(path_of("m"), &o));
    return path_of("m");
}

#endif
