/**
 * The model folder that a finished run leaves.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_FINETUNE_MODEL_H
#define BIRD_TRAIN_FINETUNE_MODEL_H

#include "train/finetune.h"

/**
 * Write the best validation's weights, config.json, tokenizer.json,
 * baseline.safetensors and dnabird.json.
 */
BIRD_MUST_CHECK int bird_finetune_finish(struct bird_finetuning *f);

#endif
