/**
 * Learning: everything in libdnabird_train that a program needs.
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_TRAIN_H
#define DNABIRD_TRAIN_H

#include "dnabird/baseline.h"
#include "dnabird/chromatin_data.h"
#include "dnabird/dataset.h"
#include "dnabird/error.h"
#include "dnabird/evaluate.h"
#include "dnabird/evaluate_mlm.h"
#include "dnabird/finetune.h"
#include "dnabird/metrics.h"
#include "dnabird/optimizer.h"
#include "dnabird/pretrain.h"
#include "dnabird/progress.h"
#include "dnabird/promoter_data.h"
#include "dnabird/report.h"
#include "dnabird/sample.h"
#include "dnabird/scan_eval.h"
#include "dnabird/token_shards.h"

/** What libdnabird_train holds beside bird_build_features(): "MPI: " and its
 *  name, or "MPI: none". The text is the library's, until the thread's next
 *  call. */
BIRD_API const char *bird_train_features(void);

#endif
