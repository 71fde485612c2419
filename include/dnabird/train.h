/**
 * Learning: everything in libdnabird_train that a program needs.
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_TRAIN_H
#define DNABIRD_TRAIN_H

#include "dnabird/baseline.h"
#include "dnabird/bench_train.h"
#include "dnabird/dataset.h"
#include "dnabird/error.h"
#include "dnabird/evaluate.h"
#include "dnabird/evaluate_mlm.h"
#include "dnabird/finetune.h"
#include "dnabird/metrics.h"
#include "dnabird/optimizer.h"
#include "dnabird/pretrain.h"
#include "dnabird/progress.h"
#include "dnabird/report.h"
#include "dnabird/sample.h"
#include "dnabird/scan_eval.h"

/** What libdnabird_train holds beside bird_build_features(): "MPI: " and its
 *  name, or "MPI: none". The text is the library's, until the thread's next
 *  call. */
BIRD_API const char *bird_train_features(void);

#endif
