/**
 * A model in memory, and sessions that score sequences with it.
 *
 *     bird_model *m;
 *     bird_session *s;
 *     bird_model_open(&m, "data/models/regulatory", NULL);
 *     bird_session_new(&s, m, NULL);
 *     bird_session_score(s, seq, len, n_seq, out);
 *
 * A session turns sequences into tokens, packs them, runs encoder and head on
 * all threads, keeps the answers to what it was asked before, joins the
 * strands and refuses what is not a number. Answers depend on the sequence,
 * the model and the options, not on threads or on what else is scored.
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_SESSION_H
#define DNABIRD_SESSION_H

#include <stddef.h>
#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/model.h"

typedef struct bird_model bird_model;
typedef struct bird_session bird_session;

/**
 * Open a model folder, weights ready to run.
 *
 * Owner   *out is the caller's, bird_model_close(); untouched on failure
 * Threads a model is read-only afterwards: any number of sessions may share it
 * Errors  BIRD_EIO, BIRD_EFORMAT, BIRD_EUNSUPPORTED of its files; BIRD_EINVAL
 *         no tokenizer, or a run that the model does not allow; BIRD_ENOMEM
 *
 * @param folder  NULL: the model that comes with dnabird
 * @param run     NULL: bird_model_run_default()
 */
BIRD_API BIRD_MUST_CHECK int bird_model_open(bird_model **out,
                                             const char *folder,
                                             const bird_model_run *run);
/** Close it, after its sessions. NULL is fine. */
BIRD_API void bird_model_close(bird_model *m);

/** Bases of the window that the model was made for; 0: its folder does not
 *  say. */
BIRD_API int64_t bird_model_window(const bird_model *m);

/** Which strands of a sequence are scored. */
enum bird_strand {
    BIRD_STRAND_BOTH,  /* the mean of both strands' probabilities */
    BIRD_STRAND_PLUS,  /* the sequence as it is given */
    BIRD_STRAND_MINUS, /* its reverse complement */
    BIRD_STRAND_EACH,  /* two answers: as given, then the reverse complement */
    BIRD_STRAND_MODEL  /* BOTH or PLUS, as the model's dnabird.json says */
};

/**
 * What a sequence is answered with. Probabilities are the model's raw outputs
 * (softmax or sigmoid of its logits; a quantity is given as it is): of two
 * classes that exclude each other the second alone, else every class or label.
 */
typedef struct bird_answer {
    int64_t tag;   /* as given */
    char strand;   /* '+', '-', or '.' for the mean of both */
    int64_t n_bin; /* 1 for heads with one answer a sequence */
    int64_t n_label;
    int64_t first_bp;   /* of the sequence, where bin 0 begins: 0 */
    int64_t bin_bp;     /* bases of a bin */
    const float *value; /* [n_bin, n_label], borrowed for the call; NULL: the
                           sequence was skipped */
} bird_answer;

/** Takes an answer, in the order of the sequences. Nonzero is an error and
 *  ends the scoring. It must not call the session. */
typedef int bird_answer_call(void *context, const bird_answer *a);

/** Writes what a tag means ("chr1:1-600") to out, for messages. */
typedef void bird_tag_name(void *context, int64_t tag, char *out, size_t size);

/** Start with {0}, which is the default of all. */
typedef struct bird_session_options {
    int threads;              /* 0: bird_threads(), which also is the most */
    enum bird_strand strand;  /* the mean of both */
    bird_answer_call *answer; /* for bird_session_add(); or NULL */
    bird_tag_name *name;      /* or NULL: "sequence TAG" */
    void *context;            /* of both */
} bird_session_options;

/**
 * A session on an open model, which must outlive it.
 *
 * Memory  bounded: 64 MiB of answers that are remembered, and for each thread
 *         a pack of about 4,096 tokens and the answers of up to 8,192 sequences
 *         that wait for their turn
 * Owner   *out is the caller's, bird_session_free()
 * Errors  BIRD_ENOMEM
 *
 * @param o  NULL: the default
 */
BIRD_API BIRD_MUST_CHECK int bird_session_new(bird_session **out,
                                              const bird_model *m,
                                              const bird_session_options *o);
/** Free it; what was not flushed gets no answer. NULL is fine. */
BIRD_API void bird_session_free(bird_session *s);

/** Floats that bird_session_score() writes for a sequence of len bases:
 *  strands x bins x labels. Of a head that does not score sequences it means
 *  nothing. */
BIRD_API int64_t bird_session_size(const bird_session *s, int64_t len);

/** Labels of an answer (n_label above). */
BIRD_API int64_t bird_session_labels(const bird_session *s);

/**
 * Score sequences in memory.
 *
 * Errors  BIRD_EINVAL the model's head does not score sequences; BIRD_EFORMAT
 *         the model returned NaN or infinity; BIRD_ENOMEM; those of an answer
 *         that was still to be handed out
 *
 * @param seq  [n_seq] bases in upper or lower case; what the model does not
 *             read is cut evenly at both ends
 * @param len  [n_seq] their lengths in bases; NULL: they end in NUL
 * @param[out] out  [n_seq, n_strand, n_bin, n_label] floats, rows one behind
 *             the other, bird_session_size() of them a sequence
 */
BIRD_API BIRD_MUST_CHECK int bird_session_score(bird_session *s,
                                                const char *const *seq,
                                                const int64_t *len,
                                                int64_t n_seq, float *out);

/**
 * The next sequence of a stream, which is copied; may score and hand out those
 * before it.
 * Errors: those of bird_session_score(), and what `answer` returned
 */
BIRD_API BIRD_MUST_CHECK int bird_session_add(bird_session *s, const char *seq,
                                              int64_t len, int64_t tag);

/** A sequence that is not to be scored: an answer without a value takes its
 *  place in the order. Errors: as bird_session_add() */
BIRD_API BIRD_MUST_CHECK int bird_session_skip(bird_session *s, int64_t tag);

/** Score and hand out what is left; the session can go on after it. */
BIRD_API BIRD_MUST_CHECK int bird_session_flush(bird_session *s);

/** Hidden states of the last layer; borrowed until the session's next call. */
typedef struct bird_states {
    int64_t n_token, n_feature;
    int64_t n_row; /* n_token; fewer of a model whose stem pools tokens */
    const int32_t *token; /* [n_token] ids, special tokens included */
    const float *x;       /* [n_row, n_feature] */
} bird_states;

/**
 * The hidden states of one sequence, as given, whatever head the model has.
 * Errors: BIRD_ENOMEM; BIRD_EINVAL the model reads no token but special ones;
 * BIRD_EFORMAT the model returned NaN or infinity
 */
BIRD_API BIRD_MUST_CHECK int bird_session_states(bird_session *s,
                                                 bird_states *out,
                                                 const char *seq, int64_t len);

/** What a session did so far. */
typedef struct bird_session_counts {
    int64_t n_evaluated; /* sequences through the model, a strand each */
    int64_t n_cached;    /* sequences whose tokens had come before */
    int64_t n_trimmed;   /* had more tokens than the model reads */
} bird_session_counts;

/** Of all strands since it was made; n_trimmed counts repeats too. */
BIRD_API void bird_session_count(const bird_session *s,
                                 bird_session_counts *out);

#endif
