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
 * all threads, caches answers, averages the strands, and returns an error for
 * NaN or infinity. An answer depends on the sequence, the model and the options,
 * and not on threads or on other sequences.
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_SESSION_H
#define DNABIRD_SESSION_H

#include <stddef.h>
#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/model.h"

BIRD_BEGIN_C

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

/** Bases of the model's window; 0: its folder does not say. */
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
 * The answer to a sequence. Values are the model's raw outputs: softmax or sigmoid
 * of its logits, or the predicted quantity of a regression; a model that also
 * predicts standard deviations has labels NAME.sd for them, after those of the
 * quantities; the strands are averaged. For two classes that
 * exclude each other the answer is the second class alone, else every class or
 * label.
 */
typedef struct bird_answer {
    int64_t tag;   /* of bird_session_add() */
    char strand;   /* '+', '-', or '.' for the mean of both */
    int64_t n_bin; /* 1 for heads with one answer a sequence */
    int64_t n_label;
    int64_t first_bp;   /* first base of bin 0 in the sequence: the margin */
    int64_t bin_bp;     /* bases of a bin */
    const float *value; /* [n_bin, n_label], borrowed for the call; NULL: the
                           sequence was skipped */
} bird_answer;

/** Takes an answer, in the order of the sequences. A nonzero return value ends the
 *  scoring: it is returned as it is, with the message that the call stored, if
 *  any, and sequences that wait have no answer. The call must not use the
 *  session. */
typedef int bird_answer_call(void *context, const bird_answer *a);

/** Writes the name of a tag ("chr1:1-600") to out, for messages. */
typedef void bird_tag_name(void *context, int64_t tag, char *out, size_t size);

/** Start with {0}, the default. */
typedef struct bird_session_options {
    int threads; /* 0: bird_threads(), which is the maximum as well */
    enum bird_strand strand;  /* the mean of both */
    bird_answer_call *answer; /* for bird_session_add(); or NULL */
    bird_tag_name *name;      /* or NULL: "sequence TAG" */
    void *context;            /* of both */
    int64_t margin_bp; /* models that predict bins: whole bins within this many
                          bases of either end get no answer, which saves work;
                          only if the model's rows divide its bins, and a
                          sequence has whole bins and is longer than both
                          margins. 0: all bins */
} bird_session_options;

/**
 * A session on an open model, which must outlive it.
 *
 * Memory  bounded: 64 MiB of cached answers, and for each thread a pack of about
 *         4,096 tokens and the answers to up to 8,192 waiting sequences
 * Owner   *out is the caller's, bird_session_free()
 * Errors  BIRD_EINVAL out or m is NULL, threads is negative, strand is not of
 *         the enum; BIRD_ENOMEM
 *
 * @param o  NULL: the default
 */
BIRD_API BIRD_MUST_CHECK int bird_session_new(bird_session **out,
                                              const bird_model *m,
                                              const bird_session_options *o);
/** Free it; sequences that were not flushed get no answer. NULL is fine. */
BIRD_API void bird_session_free(bird_session *s);

/** Floats that bird_session_score() writes for a sequence of len bases:
 *  strands x bins x labels; 0 for no session and no base. Meaningless for a
 *  model that does not score sequences. */
BIRD_API int64_t bird_session_size(const bird_session *s, int64_t len);

/** Labels of an answer (n_label above). */
BIRD_API int64_t bird_session_labels(const bird_session *s);

/**
 * Score sequences in memory.
 *
 * Errors  BIRD_EINVAL the model's head does not score sequences; s, seq, out or
 *         a sequence is NULL, n_seq is negative, a sequence is empty or holds
 *         another character than nucleotide codes (of IUPAC, and X and gaps);
 *         BIRD_EFORMAT the model returned NaN or infinity; BIRD_ENOMEM; those of an earlier
 *         answer that was still waiting
 *
 * @param seq  [n_seq] bases in upper or lower case; a sequence longer than the
 *             model reads is trimmed evenly at both ends
 * @param len  [n_seq] their lengths in bases; NULL: they end in NUL
 * @param[out] out  [n_seq, n_strand, n_bin, n_label] floats without gaps,
 *             bird_session_size() of them for each sequence
 */
BIRD_API BIRD_MUST_CHECK int bird_session_score(bird_session *s,
                                                const char *const *seq,
                                                const int64_t *len,
                                                int64_t n_seq, float *out);

/**
 * Add the next sequence of a stream; the session copies it. The call may score
 * and answer earlier sequences.
 * Errors: those of bird_session_score(), and nonzero values that `answer`
 * returned
 */
BIRD_API BIRD_MUST_CHECK int bird_session_add(bird_session *s, const char *seq,
                                              int64_t len, int64_t tag);

/** Add a sequence that is not scored: its answer, in order, has no value.
 *  Errors: as bird_session_add() */
BIRD_API BIRD_MUST_CHECK int bird_session_skip(bird_session *s, int64_t tag);

/** Score and answer all waiting sequences; the session can be used further. */
BIRD_API BIRD_MUST_CHECK int bird_session_flush(bird_session *s);

/** Hidden states of the last layer; borrowed until the session's next call. */
typedef struct bird_states {
    int64_t n_token, n_feature;
    int64_t n_row; /* n_token; fewer for a model whose stem pools tokens */
    const int32_t *token; /* [n_token] ids, special tokens included */
    const float *x;       /* [n_row, n_feature] */
} bird_states;

/**
 * The hidden states of one sequence on its given strand, for any head.
 * Errors: BIRD_ENOMEM; BIRD_EINVAL the model reads no token but special ones, or
 * an argument as in bird_session_score(); BIRD_EFORMAT the model returned NaN or infinity
 */
BIRD_API BIRD_MUST_CHECK int bird_session_states(bird_session *s,
                                                 bird_states *out,
                                                 const char *seq, int64_t len);

/** Counts of a session since it was made. */
typedef struct bird_session_counts {
    int64_t n_evaluated; /* strands of sequences that went through the model */
    int64_t n_cached;    /* strands whose answer was in the cache */
    int64_t n_trimmed;   /* strands with more tokens than the model reads */
} bird_session_counts;

/** Read the counts; n_trimmed includes cached strands. */
BIRD_API void bird_session_count(const bird_session *s,
                                 bird_session_counts *out);

BIRD_END_C

#endif
