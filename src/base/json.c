/*
 * JSON through jansson, parsed as a whole since our files are small; every
 * message names the file and the field.
 * SPDX-License-Identifier: MIT
 */
#include "base/json.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/text.h"

/*
 * jansson (2.14) does not handle failed allocations: json_loadb() crashes,
 * json_dumps() silently omits members. So allocations that fail in these two
 * are served from a reserve, and the result is rejected afterwards. An object
 * that lost a member for lack of memory is not written either, so that callers
 * need not check every member.
 */
static struct {
    pthread_mutex_t lock;
    pthread_t owner;
    int on;
    size_t used;
    json_malloc_t malloc; /* the functions that were set before */
    json_free_t free;
    _Alignas(16) char at[1 << 18];
} reserve = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local int failed; /* an allocation of this thread failed since
                                    then */

static void *take(size_t n)
{
    void *p = reserve.malloc(n);

    if (p)
        return p;
    failed = 1;
    if (!reserve.on || !pthread_equal(pthread_self(), reserve.owner))
        return NULL;
    n = (n + 15) / 16 * 16;
    if (n > sizeof(reserve.at) - reserve.used)
        return NULL;
    p = reserve.at + reserve.used;
    reserve.used += n;
    return p;
}

static void give(void *p)
{
    char *at = p;

    if (at < reserve.at || at >= reserve.at + sizeof(reserve.at))
        reserve.free(p);
}

/* Before any object is made. */
__attribute__((constructor)) static void watch(void)
{
    json_get_alloc_funcs(&reserve.malloc, &reserve.free);
    json_set_alloc_funcs(take, give);
}

static void begin(void)
{
    pthread_mutex_lock(&reserve.lock);
    reserve.owner = pthread_self();
    reserve.on = 1;
    reserve.used = 0;
    failed = 0;
}

/* The reserve is not in use any more. */
static void end(void)
{
    reserve.on = 0;
    failed = 0;
    pthread_mutex_unlock(&reserve.lock);
}

static json_t *load(int *out, const char *text, size_t n, json_error_t *e)
{
    int before = failed;
    json_t *j;

    begin();
    j = json_loadb(text, n, JSON_REJECT_DUPLICATES, e);
    *out = failed;
    if (*out) {
        json_decref(j);
        j = NULL;
    }
    end();
    failed = before;
    return j;
}

char *bird_json_dump(const json_t *root, size_t flags)
{
    int before = failed;
    char *s;

    begin();
    s = before ? NULL : json_dumps(root, flags);
    if (failed && s) {
        give(s);
        s = NULL;
    }
    end();
    return s;
}

json_t *bird_json_string(const char *s)
{
    json_t *all = json_string(s), *part = NULL;
    struct bird_text t = {0};
    int rc = 0;

    while (!all && !rc && *s) {
        size_t n = strnlen(s, 4);

        while (n && !(part = json_stringn(s, n)))
            n--;
        rc = n ? bird_text_put(&t, s, (int64_t)n)
               : bird_text_printf(&t, "%%%02X", (unsigned char)*s);
        if (n)
            json_decref(part);
        s += n ? n : 1;
    }
    if (!all && !rc)
        all = json_string(t.s ? t.s : "");
    bird_text_free(&t);
    return all;
}

int bird_json_parse(json_t **out, const char *text, size_t n, const char *path)
{
    json_error_t e;
    int is_out;
    json_t *j = load(&is_out, text, n, &e);

    if (is_out)
        return bird_fail_in(bird_fail_memory(n), "%s", path);
    if (!j)
        return bird_fail(BIRD_EFORMAT, "%s: line %d, column %d: not JSON: %s",
                         path, e.line, e.column, e.text);
    if (!json_is_object(j)) {
        json_decref(j);
        return bird_fail(BIRD_EFORMAT, "%s: not a JSON object", path);
    }
    *out = j;
    return 0;
}

int bird_json_open(json_t **out, const char *path)
{
    struct bird_text t = {0};
    int rc = bird_file_read(&t, path);

    if (!rc)
        rc = bird_json_parse(out, t.s, (size_t)t.n, path);
    bird_text_free(&t);
    return rc;
}

int bird_json_begin(struct bird_out *out, const json_t *root, const char *path)
{
    char *s = bird_json_dump(root, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    size_t n;
    int rc;

    if (!s)
        return bird_fail_memory(0);
    n = strlen(s);
    s[n] = '\n'; /* for the terminator */
    rc = bird_out_open(out, path);
    if (!rc &&
        (fwrite(s, 1, n + 1, out->stream) != n + 1 || fflush(out->stream))) {
        rc =
            bird_fail(BIRD_EIO, "%s: %s", bird_out_name(path), strerror(errno));
        bird_out_abort(out);
    }
    free(s);
    return rc;
}

int bird_json_write(const json_t *root, const char *path)
{
    struct bird_out out;
    int rc = bird_json_begin(&out, root, path);

    return rc ? rc : bird_out_commit(&out);
}

/* The field, if it exists and is not null. */
static const json_t *given(const json_t *o, const char *field)
{
    const json_t *v = json_object_get(o, field);

    return json_is_null(v) ? NULL : v;
}

int bird_json_int(int64_t *out, const json_t *o, const char *field, int64_t lo,
                  int64_t hi, const char *path)
{
    const json_t *v = given(o, field);

    if (!v)
        return 0;
    if (!json_is_integer(v))
        return bird_fail(BIRD_EFORMAT, "%s: '%s' is not a whole number", path,
                         field);
    if (json_integer_value(v) < lo || json_integer_value(v) > hi)
        return bird_fail(BIRD_EFORMAT, "%s: '%s' is %lld, outside %lld to %lld",
                         path, field, (long long)json_integer_value(v),
                         (long long)lo, (long long)hi);
    *out = json_integer_value(v);
    return 0;
}

int bird_json_real(double *out, const json_t *o, const char *field, double lo,
                   double hi, const char *path)
{
    const json_t *v = given(o, field);

    if (!v)
        return 0;
    if (!json_is_number(v))
        return bird_fail(BIRD_EFORMAT, "%s: '%s' is not a number", path, field);
    if (!(json_number_value(v) >= lo && json_number_value(v) <= hi))
        return bird_fail(BIRD_EFORMAT, "%s: '%s' is %g, outside %g to %g", path,
                         field, json_number_value(v), lo, hi);
    *out = json_number_value(v);
    return 0;
}

int bird_json_bool(int *out, const json_t *o, const char *field,
                   const char *path)
{
    const json_t *v = given(o, field);

    if (!v)
        return 0;
    if (!json_is_boolean(v))
        return bird_fail(BIRD_EFORMAT, "%s: '%s' is not true or false", path,
                         field);
    *out = json_is_true(v);
    return 0;
}

int bird_json_text(const char **out, const json_t *o, const char *field,
                   const char *path)
{
    const json_t *v = given(o, field);

    if (!v)
        return 0;
    if (!json_is_string(v))
        return bird_fail(BIRD_EFORMAT, "%s: '%s' is not a text", path, field);
    *out = json_string_value(v);
    return 0;
}
