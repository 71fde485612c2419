/* Checks of arguments. SPDX-License-Identifier: MIT */
#include "session/arguments.h"

#include <ctype.h>

#include "base/fail.h"
#include "seq/alphabet.h"

enum { MOST_THREADS = 4096 };

int bird_check_session(bird_session *const *out, const bird_model *m,
                       const bird_session_options *o)
{
    if (!out || !m)
        return bird_fail(BIRD_EINVAL, "bird_session_new: %s is NULL",
                         out ? "the model" : "out");
    if (o && (o->threads < 0 || o->threads > MOST_THREADS))
        return bird_fail(BIRD_EINVAL,
                         "bird_session_new: %d threads: give 0 to %d",
                         o->threads, MOST_THREADS);
    if (o && o->margin_bp < 0)
        return bird_fail(BIRD_EINVAL,
                         "bird_session_new: a margin of %lld bp: give 0 or "
                         "more",
                         (long long)o->margin_bp);
    if (o &&
        ((int)o->strand < BIRD_STRAND_BOTH || o->strand > BIRD_STRAND_MODEL))
        return bird_fail(BIRD_EINVAL,
                         "bird_session_new: strand %d is not one of enum "
                         "bird_strand",
                         (int)o->strand);
    return 0;
}

int bird_check_sequence(const bird_session *s, const char *seq, int64_t len,
                        int64_t tag)
{
    int64_t i = 0;
    unsigned char c;

    if (!s)
        return bird_fail(BIRD_EINVAL, "the session is NULL");
    if (!seq || len < 1)
        return bird_fail(BIRD_EINVAL, "sequence %lld is %s", (long long)tag,
                         seq ? "empty" : "NULL");
    while (i < len && bird_letter_fold[(unsigned char)seq[i]])
        i++;
    if (i == len)
        return 0;
    c = (unsigned char)seq[i];
    return bird_fail(BIRD_EINVAL,
                     "sequence %lld: '%c' at position %lld is not a nucleotide "
                     "code: %s",
                     (long long)tag, isprint(c) ? c : '?', (long long)i + 1,
                     bird_bases_advice(seq, len));
}
