/* The stack machine of pickles, less all that acts. SPDX-License-Identifier:
 * MIT */
#include "folder/pickle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"

/* The letters of the opcodes; their names are pickletools'. */
enum opcode {
    MARK = '(',
    STOP = '.',
    BININT = 'J',
    BININT1 = 'K',
    BININT2 = 'M',
    NONE = 'N',
    BINPERSID = 'Q',
    REDUCE = 'R',
    BINUNICODE = 'X',
    EMPTY_LIST = ']',
    APPEND = 'a',
    BUILD = 'b',
    GLOBAL = 'c',
    APPENDS = 'e',
    BINGET = 'h',
    LONG_BINGET = 'j',
    BINPUT = 'q',
    LONG_BINPUT = 'r',
    SETITEM = 's',
    TUPLE = 't',
    SETITEMS = 'u',
    EMPTY_TUPLE = ')',
    EMPTY_DICT = '}',
    PROTO = 0x80,
    TUPLE1 = 0x85,
    TUPLE2 = 0x86,
    TUPLE3 = 0x87,
    NEWTRUE = 0x88,
    NEWFALSE = 0x89,
    LONG1 = 0x8a,
    SHORT_BINUNICODE = 0x8c,
    STACK_GLOBAL = 0x93,
    MEMOIZE = 0x94,
    FRAME = 0x95,
};

static const struct {
    const char *module, *name;
} globals[] = {
    [BIRD_PICKLE_ORDERED_DICT] = {"collections", "OrderedDict"},
    [BIRD_PICKLE_REBUILD_TENSOR] = {"torch._utils", "_rebuild_tensor_v2"},
    [BIRD_PICKLE_REBUILD_PARAMETER] = {"torch._utils", "_rebuild_parameter"},
    [BIRD_PICKLE_FLOAT_STORAGE] = {"torch", "FloatStorage"},
    [BIRD_PICKLE_HALF_STORAGE] = {"torch", "HalfStorage"},
    [BIRD_PICKLE_BFLOAT16_STORAGE] = {"torch", "BFloat16Storage"},
    [BIRD_PICKLE_LONG_STORAGE] = {"torch", "LongStorage"},
};

enum { N_GLOBAL = sizeof(globals) / sizeof(*globals), NAME_MAX_SHOWN = 60 };

struct machine {
    struct bird_pickle p;
    const unsigned char *s;
    size_t n, at; /* bytes; the next one */
    const char *path;
    int32_t *stack, *mark, *memo; /* memo: -1 = not set */
    int64_t n_stack, cap_stack, n_mark, cap_mark, n_memo, cap_memo;
};

static int malformed(const struct machine *m, const char *what)
{
    return bird_fail(BIRD_EFORMAT, "%s: pickle: byte %zu: %s", m->path, m->at,
                     what);
}

/* Text of a file in a sentence: nothing that moves a cursor. */
static void shown(char out[NAME_MAX_SHOWN + 1], const void *s, size_t n)
{
    size_t k = n < NAME_MAX_SHOWN ? n : NAME_MAX_SHOWN;

    for (size_t i = 0; i < k; i++) {
        char c = ((const char *)s)[i];

        out[i] = c < ' ' || c > '~' ? '?' : c;
    }
    out[k] = '\0';
}

/* The next n bytes, or NULL. */
static const unsigned char *take(struct machine *m, size_t n)
{
    const unsigned char *s = m->s + m->at;

    if (n > m->n - m->at)
        return NULL;
    m->at += n;
    return s;
}

/* A little-endian number of n bytes, n <= 8. */
static int take_number(struct machine *m, uint64_t *out, size_t n)
{
    const unsigned char *s = take(m, n);

    if (!s)
        return malformed(m, "cut short");
    *out = 0;
    for (size_t i = 0; i < n; i++)
        *out |= (uint64_t)s[i] << (8 * i);
    return 0;
}

static int push(struct machine *m, int32_t value)
{
    int rc = bird_array_grow(&m->stack, &m->cap_stack, m->n_stack + 1,
                             sizeof(*m->stack));

    if (!rc)
        m->stack[m->n_stack++] = value;
    return rc;
}

static int push_new(struct machine *m, enum bird_pickle_kind kind,
                    int64_t number)
{
    struct bird_pickle *p = &m->p;
    int rc = bird_array_grow(&p->value, &p->cap, p->n + 1, sizeof(*p->value));

    if (rc)
        return rc;
    p->value[p->n] = (struct bird_pickle_value){.kind = kind, .number = number};
    return push(m, (int32_t)p->n++);
}

static struct bird_pickle_value *top(struct machine *m)
{
    return &m->p.value[m->stack[m->n_stack - 1]];
}

/* Values that may be taken from the stack: those above the last mark. */
static int64_t above_mark(const struct machine *m)
{
    return m->n_stack - (m->n_mark ? m->mark[m->n_mark - 1] : 0);
}

static int need(const struct machine *m, int64_t n)
{
    return above_mark(m) < n ? malformed(m, "an opcode lacks its values") : 0;
}

static int add_items(struct bird_pickle_value *v, const int32_t *item,
                     int64_t n)
{
    int rc = bird_array_grow(&v->item, &v->cap, v->n + n, sizeof(*v->item));

    if (rc)
        return rc;
    if (n)
        memcpy(v->item + v->n, item, (size_t)n * sizeof(*item));
    v->n += n;
    return 0;
}

/* The n values on top become the items of a new one. */
static int gather(struct machine *m, enum bird_pickle_kind kind, int64_t number,
                  int64_t n)
{
    int rc = need(m, n);

    if (rc || (rc = push_new(m, kind, number)))
        return rc;
    m->n_stack -= n + 1;
    rc = add_items(&m->p.value[m->p.n - 1], m->stack + m->n_stack, n);
    return rc ? rc : push(m, (int32_t)m->p.n - 1);
}

/* Values above the last mark, which goes. */
static int to_mark(struct machine *m, int64_t *n)
{
    if (!m->n_mark)
        return malformed(m, "an opcode lacks its mark");
    *n = above_mark(m);
    m->n_mark--;
    return 0;
}

/* The n values on top go into the container below them. */
static int put_items(struct machine *m, enum bird_pickle_kind kind, int64_t n)
{
    struct bird_pickle_value *v;
    int rc = need(m, n + 1);

    if (rc)
        return rc;
    v = &m->p.value[m->stack[m->n_stack - n - 1]];
    if (v->kind != kind || (kind == BIRD_PICKLE_DICT && n % 2))
        return malformed(m,
                         kind == BIRD_PICKLE_DICT
                             ? "entries for something that is not a dictionary"
                             : "entries for something that is not a list");
    m->n_stack -= n;
    return add_items(v, m->stack + m->n_stack, n);
}

static int put_marked(struct machine *m, enum bird_pickle_kind kind)
{
    int64_t n = 0;
    int rc = to_mark(m, &n);

    return rc ? rc : put_items(m, kind, n);
}

static int text(struct machine *m, size_t length_size)
{
    uint64_t n = 0;
    const unsigned char *s;
    int rc = take_number(m, &n, length_size);

    if (rc)
        return rc;
    s = n > m->n ? NULL : take(m, (size_t)n);
    if (!s)
        return malformed(m, "cut short");
    if (memchr(s, 0, (size_t)n))
        return malformed(m, "a text with a NUL in it");
    if ((rc = push_new(m, BIRD_PICKLE_TEXT, 0)))
        return rc;
    top(m)->text = (const char *)s;
    top(m)->n = (int64_t)n;
    return 0;
}

/* Two's complement, little-endian. */
static int whole(struct machine *m)
{
    uint64_t n = 0, x = 0;
    const unsigned char *s;
    int rc = take_number(m, &n, 1);

    if (rc)
        return rc;
    s = take(m, (size_t)n);
    if (!s)
        return malformed(m, "cut short");
    if (n > 8) {
        rc = push_new(m, BIRD_PICKLE_BIG, 0);
        if (!rc) {
            top(m)->text = (const char *)s;
            top(m)->n = (int64_t)n;
        }
        return rc;
    }
    for (size_t i = 0; i < n; i++)
        x |= (uint64_t)s[i] << (8 * i);
    if (n && n < 8 && s[n - 1] & 0x80)
        x |= ~(uint64_t)0 << (8 * n);
    return push_new(m, BIRD_PICKLE_INT, (int64_t)x);
}

static int number(struct machine *m, size_t size)
{
    uint64_t x = 0;
    int rc = take_number(m, &x, size);

    if (size == 4)
        x = (uint64_t)(int64_t)(int32_t)(uint32_t)x;
    return rc ? rc : push_new(m, BIRD_PICKLE_INT, (int64_t)x);
}

static int global_named(struct machine *m, const char *module, size_t n_module,
                        const char *name, size_t n_name)
{
    char a[NAME_MAX_SHOWN + 1], b[NAME_MAX_SHOWN + 1];

    for (int i = 0; i < N_GLOBAL; i++)
        if (strlen(globals[i].module) == n_module &&
            !memcmp(globals[i].module, module, n_module) &&
            strlen(globals[i].name) == n_name &&
            !memcmp(globals[i].name, name, n_name))
            return push_new(m, BIRD_PICKLE_GLOBAL, i);
    shown(a, module, n_module);
    shown(b, name, n_name);
    return bird_fail(BIRD_EUNSUPPORTED,
                     "%s: pickle: it asks for '%s.%s', which no dictionary of "
                     "tensors needs: refused",
                     m->path, a, b);
}

/* Module and name, each ended by a newline. */
static int global(struct machine *m)
{
    const char *s = (const char *)m->s + m->at;
    const char *end = memchr(s, '\n', m->n - m->at);
    const char *name = end ? end + 1 : NULL;
    const char *last =
        name ? memchr(name, '\n', m->n - m->at - (size_t)(name - s)) : NULL;

    if (!last)
        return malformed(m, "cut short");
    m->at += (size_t)(last + 1 - s);
    return global_named(m, s, (size_t)(end - s), name, (size_t)(last - name));
}

static int stack_global(struct machine *m)
{
    const struct bird_pickle_value *a, *b;
    int rc = need(m, 2);

    if (rc)
        return rc;
    a = &m->p.value[m->stack[m->n_stack - 2]];
    b = &m->p.value[m->stack[m->n_stack - 1]];
    if (a->kind != BIRD_PICKLE_TEXT || b->kind != BIRD_PICKLE_TEXT)
        return malformed(m, "a global whose name is not a text");
    m->n_stack -= 2;
    return global_named(m, a->text, (size_t)a->n, b->text, (size_t)b->n);
}

/* A call becomes a value; an ordered dictionary is made empty. */
static int reduce(struct machine *m)
{
    const struct bird_pickle_value *f, *args;
    int32_t args_at;
    int64_t which;
    int rc = need(m, 2);

    if (rc)
        return rc;
    args_at = m->stack[m->n_stack - 1];
    args = &m->p.value[args_at];
    f = &m->p.value[m->stack[m->n_stack - 2]];
    which = f->number;
    if (f->kind != BIRD_PICKLE_GLOBAL || args->kind != BIRD_PICKLE_TUPLE)
        return malformed(m, "a call of something that is not a function");
    m->n_stack -= 2;
    if (which == BIRD_PICKLE_ORDERED_DICT) {
        if (args->n)
            return bird_fail(BIRD_EUNSUPPORTED,
                             "%s: pickle: an OrderedDict made with arguments "
                             "is not supported",
                             m->path);
        return push_new(m, BIRD_PICKLE_DICT, 0);
    }
    if (which != BIRD_PICKLE_REBUILD_TENSOR &&
        which != BIRD_PICKLE_REBUILD_PARAMETER)
        return bird_fail(BIRD_EUNSUPPORTED,
                         "%s: pickle: a call of '%s.%s': refused", m->path,
                         globals[which].module, globals[which].name);
    if ((rc = push(m, args_at)))
        return rc;
    return gather(m, BIRD_PICKLE_CALL, which, 1);
}

/* The attributes of a dictionary (`_metadata`) say nothing of tensors. */
static int build(struct machine *m)
{
    int rc = need(m, 2);

    if (rc)
        return rc;
    m->n_stack--;
    if (top(m)->kind != BIRD_PICKLE_DICT)
        return malformed(m, "attributes of something that is not a dictionary");
    return 0;
}

static int memo_put(struct machine *m, uint64_t i)
{
    int rc = need(m, 1);

    if (rc)
        return rc;
    /* each takes two bytes, and they are numbered from 0 */
    if (i >= m->n)
        return malformed(m, "a memo number that cannot be");
    rc = bird_array_grow(&m->memo, &m->cap_memo, (int64_t)i + 1,
                         sizeof(*m->memo));
    if (rc)
        return rc;
    while (m->n_memo <= (int64_t)i)
        m->memo[m->n_memo++] = -1;
    m->memo[i] = m->stack[m->n_stack - 1];
    return 0;
}

static int memo_put_numbered(struct machine *m, size_t size)
{
    uint64_t i = 0;
    int rc = take_number(m, &i, size);

    return rc ? rc : memo_put(m, i);
}

static int memo_get(struct machine *m, size_t size)
{
    uint64_t i = 0;
    int rc = take_number(m, &i, size);

    if (rc)
        return rc;
    if (i >= (uint64_t)m->n_memo || m->memo[i] < 0)
        return malformed(m, "a memo that was not set");
    return push(m, m->memo[i]);
}

static int mark(struct machine *m)
{
    int rc = bird_array_grow(&m->mark, &m->cap_mark, m->n_mark + 1,
                             sizeof(*m->mark));

    if (!rc)
        m->mark[m->n_mark++] = (int32_t)m->n_stack;
    return rc;
}

static int tuple_to_mark(struct machine *m)
{
    int64_t n = 0;
    int rc = to_mark(m, &n);

    return rc ? rc : gather(m, BIRD_PICKLE_TUPLE, 0, n);
}

static int protocol(struct machine *m)
{
    uint64_t version = 0;
    int rc = take_number(m, &version, 1);

    if (!rc && (version < 2 || version > 5))
        rc = bird_fail(BIRD_EUNSUPPORTED,
                       "%s: pickle: protocol %d is not supported", m->path,
                       (int)version);
    return rc;
}

static int frame(struct machine *m)
{
    uint64_t n = 0;
    int rc = take_number(m, &n, 8);

    if (!rc && n > m->n - m->at)
        rc = malformed(m, "cut short");
    return rc;
}

static int unknown(const struct machine *m, int op)
{
    return bird_fail(BIRD_EUNSUPPORTED,
                     "%s: pickle: byte %zu: the opcode 0x%02x, which no "
                     "dictionary of tensors needs: refused",
                     m->path, m->at - 1, (unsigned)op);
}

/* Opcodes that make or fetch a value. */
static int step_value(struct machine *m, int op)
{
    switch (op) {
    case NONE:
        return push_new(m, BIRD_PICKLE_NONE, 0);
    case NEWTRUE:
    case NEWFALSE:
        return push_new(m, BIRD_PICKLE_BOOL, op == NEWTRUE);
    case BININT1:
        return number(m, 1);
    case BININT2:
        return number(m, 2);
    case BININT:
        return number(m, 4);
    case LONG1:
        return whole(m);
    case BINUNICODE:
        return text(m, 4);
    case SHORT_BINUNICODE:
        return text(m, 1);
    case EMPTY_TUPLE:
        return push_new(m, BIRD_PICKLE_TUPLE, 0);
    case EMPTY_LIST:
        return push_new(m, BIRD_PICKLE_LIST, 0);
    case EMPTY_DICT:
        return push_new(m, BIRD_PICKLE_DICT, 0);
    case GLOBAL:
        return global(m);
    case BINGET:
        return memo_get(m, 1);
    case LONG_BINGET:
        return memo_get(m, 4);
    default:
        return unknown(m, op);
    }
}

static int step(struct machine *m, int op)
{
    switch (op) {
    case PROTO:
        return protocol(m);
    case FRAME:
        return frame(m);
    case MARK:
        return mark(m);
    case TUPLE:
        return tuple_to_mark(m);
    case TUPLE1:
    case TUPLE2:
    case TUPLE3:
        return gather(m, BIRD_PICKLE_TUPLE, 0, op - TUPLE1 + 1);
    case APPEND:
        return put_items(m, BIRD_PICKLE_LIST, 1);
    case APPENDS:
        return put_marked(m, BIRD_PICKLE_LIST);
    case SETITEM:
        return put_items(m, BIRD_PICKLE_DICT, 2);
    case SETITEMS:
        return put_marked(m, BIRD_PICKLE_DICT);
    case BINPUT:
        return memo_put_numbered(m, 1);
    case LONG_BINPUT:
        return memo_put_numbered(m, 4);
    case MEMOIZE:
        return memo_put(m, (uint64_t)m->n_memo);
    case STACK_GLOBAL:
        return stack_global(m);
    case BINPERSID:
        return gather(m, BIRD_PICKLE_PERSISTENT, 0, 1);
    case REDUCE:
        return reduce(m);
    case BUILD:
        return build(m);
    default:
        return step_value(m, op);
    }
}

static int run(struct machine *m)
{
    int rc = 0;

    while (!rc) {
        const unsigned char *op = take(m, 1);

        if (!op)
            return malformed(m, "cut short");
        if (*op == STOP) {
            if (m->n_mark || m->n_stack != 1)
                return malformed(m, "it ends with no single value");
            m->p.root = m->stack[0];
            return 0;
        }
        rc = step(m, *op);
    }
    return rc;
}

int bird_pickle_read(struct bird_pickle *out, size_t *used, const void *bytes,
                     size_t size, const char *path)
{
    struct machine m = {.s = bytes,
                        .n = size < BIRD_PICKLE_MAX ? size : BIRD_PICKLE_MAX,
                        .path = path};
    /* never without a stack, however empty: then its top is a place */
    int rc = bird_array_grow(&m.stack, &m.cap_stack, 16, sizeof(*m.stack));

    if (!rc)
        rc = run(&m);
    free(m.stack);
    free(m.mark);
    free(m.memo);
    if (rc) {
        bird_pickle_free(&m.p);
        return rc;
    }
    *out = m.p;
    *used = m.at;
    return 0;
}

void bird_pickle_free(struct bird_pickle *p)
{
    for (int64_t i = 0; i < p->n; i++)
        free(p->value[i].item);
    free(p->value);
    *p = (struct bird_pickle){0};
}

const struct bird_pickle_value *
bird_pickle_item(const struct bird_pickle *p, const struct bird_pickle_value *v,
                 int64_t i)
{
    return v->item && i < v->n ? &p->value[v->item[i]] : NULL;
}

int bird_pickle_is(const struct bird_pickle_value *v, const char *s)
{
    return v && v->kind == BIRD_PICKLE_TEXT && (size_t)v->n == strlen(s) &&
           !memcmp(v->text, s, (size_t)v->n);
}

const char *bird_pickle_kind_name(const struct bird_pickle_value *v)
{
    static const char *const names[] = {
        [BIRD_PICKLE_NONE] = "None",
        [BIRD_PICKLE_BOOL] = "a truth value",
        [BIRD_PICKLE_INT] = "a number",
        [BIRD_PICKLE_BIG] = "a number",
        [BIRD_PICKLE_TEXT] = "a text",
        [BIRD_PICKLE_TUPLE] = "a tuple",
        [BIRD_PICKLE_LIST] = "a list",
        [BIRD_PICKLE_DICT] = "a dictionary",
        [BIRD_PICKLE_GLOBAL] = "a class",
        [BIRD_PICKLE_CALL] = "a tensor or parameter",
        [BIRD_PICKLE_PERSISTENT] = "a storage",
    };

    return v ? names[v->kind] : "nothing";
}
