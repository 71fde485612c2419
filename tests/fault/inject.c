/*
 * Loaded before the program (LD_PRELOAD): lets one call fail. System calls are
 * trapped by a filter of the kernel, so that those inside the C library count,
 * too; allocations and threads by functions of their names. The program waits
 * before main for fault_run, and runs main in a child as often as it is asked:
 * libraries are loaded and set up once.
 * SPDX-License-Identifier: MIT
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "fault.h"

enum { DEEP = 48 }; /* frames of a call stack */

static struct fault *shared;
static int active; /* main runs, in a child */

/* --- system calls -------------------------------------------------------- */

/* The one place whose calls the filter lets through. */
long fault_syscall(long n, long a, long b, long c, long d, long e, long f);
extern const char fault_syscall_behind[];

#if defined(__x86_64__)
enum { ARCH = (int)AUDIT_ARCH_X86_64 };
__asm__(".text\n"
        ".globl fault_syscall\n"
        ".type fault_syscall, @function\n"
        "fault_syscall:\n"
        "mov %rdi, %rax\n"
        "mov %rsi, %rdi\n"
        "mov %rdx, %rsi\n"
        "mov %rcx, %rdx\n"
        "mov %r8, %r10\n"
        "mov %r9, %r8\n"
        "mov 8(%rsp), %r9\n"
        "syscall\n"
        ".globl fault_syscall_behind\n"
        "fault_syscall_behind:\n"
        "ret\n");
#define REG(u, i)                                                              \
    ((u)->uc_mcontext.gregs[(const int[]){REG_RDI, REG_RSI, REG_RDX, REG_R10,  \
                                          REG_R8, REG_R9}[i]])
#define RESULT(u) ((u)->uc_mcontext.gregs[REG_RAX])
#elif defined(__aarch64__)
enum { ARCH = (int)AUDIT_ARCH_AARCH64 };
__asm__(".text\n"
        ".globl fault_syscall\n"
        ".type fault_syscall, %function\n"
        "fault_syscall:\n"
        "mov x8, x0\n"
        "mov x0, x1\n"
        "mov x1, x2\n"
        "mov x2, x3\n"
        "mov x3, x4\n"
        "mov x4, x5\n"
        "mov x5, x6\n"
        "svc 0\n"
        ".globl fault_syscall_behind\n"
        "fault_syscall_behind:\n"
        "ret\n");
#define REG(u, i) ((u)->uc_mcontext.regs[i])
#define RESULT(u) ((u)->uc_mcontext.regs[0])
#endif

enum { BY_NAME = 9 }; /* argument `on` is a path */
static const struct row {
    int kind, number, on; /* which argument is the descriptor; BY_NAME + path */
} rows[] = {
#ifdef __NR_open
    {FAULT_OPEN, __NR_open, BY_NAME},
    {FAULT_STAT, __NR_stat, BY_NAME},
    {FAULT_STAT, __NR_lstat, BY_NAME},
    {FAULT_RENAME, __NR_rename, BY_NAME},
    {FAULT_RENAME, __NR_link, BY_NAME},
    {FAULT_FOLDER, __NR_mkdir, BY_NAME},
#endif
#ifdef __NR_renameat
    {FAULT_RENAME, __NR_renameat, BY_NAME + 1},
#endif
    {FAULT_RENAME, __NR_renameat2, BY_NAME + 1},
    {FAULT_RENAME, __NR_linkat, BY_NAME + 1},
    {FAULT_OPEN, __NR_openat, BY_NAME + 1},
    {FAULT_STAT, __NR_newfstatat, BY_NAME + 1},
    {FAULT_STAT, __NR_statx, BY_NAME + 1},
    {FAULT_STAT, __NR_fstat, 0},
    {FAULT_FOLDER, __NR_mkdirat, BY_NAME + 1},
    {FAULT_FOLDER, __NR_getdents64, 0},
    {FAULT_WRITE, __NR_write, 0},
    {FAULT_WRITE, __NR_pwrite64, 0},
    {FAULT_WRITE, __NR_writev, 0},
    {FAULT_READ, __NR_read, 0},
    {FAULT_READ, __NR_pread64, 0},
    {FAULT_READ, __NR_readv, 0},
    {FAULT_FSYNC, __NR_fsync, 0},
    {FAULT_FSYNC, __NR_fdatasync, 0},
    {FAULT_CLOSE, __NR_close, 0},
    {FAULT_SEEK, __NR_lseek, 0},
    {FAULT_TRUNCATE, __NR_ftruncate, 0},
    {FAULT_TRUNCATE, __NR_fallocate, 0},
    {FAULT_MMAP, __NR_mmap, 4},
    {FAULT_MMAP, __NR_mremap, BY_NAME + 7},
};
enum { N_ROW = sizeof(rows) / sizeof(*rows) };

/* The next call of its kind: does it fail? */
static int is_hit(void)
{
    int64_t n = atomic_fetch_add(&shared->calls, 1) + 1;

    if (!shared->at || n < shared->at || (n > shared->at && !shared->from))
        return 0;
    return 1;
}

/* Of the first that fails: what it was of. */
static void note(int fd, const char *path)
{
    char link[32];
    ssize_t n;

    if (atomic_fetch_add(&shared->hit, 1))
        return;
    if (getenv("FAULT_TRACE")) { /* to find out who called */
        void *frame[DEEP];

        backtrace_symbols_fd(frame, backtrace(frame, DEEP), STDERR_FILENO);
    }
    shared->fd = path ? -1 : fd;
    if (path) {
        snprintf(shared->what, FAULT_WHAT, "%s", path);
        return;
    }
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    n = fd < 0 ? 0 : readlink(link, shared->what, FAULT_WHAT - 1);
    shared->what[n > 0 ? n : 0] = '\0';
}

static long halved(const siginfo_t *info, ucontext_t *u)
{
    int number = info->si_syscall;
    long n = (long)REG(u, 2);

    if (number == __NR_writev || number == __NR_readv) { /* the first part */
        const struct iovec *v = (const struct iovec *)REG(u, 1);

        while (n > 1 && !v->iov_len) {
            v++;
            n--;
        }
        return fault_syscall(number == __NR_writev ? __NR_write : __NR_read,
                             (long)REG(u, 0), (long)v->iov_base,
                             (long)(v->iov_len + 1) / 2, 0, 0, 0);
    }
    return fault_syscall(number, (long)REG(u, 0), (long)REG(u, 1), (n + 1) / 2,
                         (long)REG(u, 3), 0, 0);
}

static long answer(const siginfo_t *info, ucontext_t *u, const struct row *r)
{
    long got;
    int by_name = r->on >= BY_NAME;

    if (!is_hit() || (shared->from && !by_name && r->kind == FAULT_WRITE &&
                      REG(u, r->on) == STDERR_FILENO))
        return fault_syscall(info->si_syscall, (long)REG(u, 0), (long)REG(u, 1),
                             (long)REG(u, 2), (long)REG(u, 3), (long)REG(u, 4),
                             (long)REG(u, 5));
    if (r->on == BY_NAME + 7)
        note(-1, NULL);
    else
        note(by_name ? -1 : (int)REG(u, r->on),
             by_name ? (const char *)REG(u, r->on - BY_NAME) : NULL);
    if (shared->error == FAULT_SHORT)
        return halved(info, u);
    if (r->kind == FAULT_CLOSE) { /* closed it is, whatever it says */
        got = fault_syscall(__NR_close, (long)REG(u, 0), 0, 0, 0, 0, 0);
        if (got < 0)
            return got;
    }
    return -shared->error;
}

static void trapped(int signal, siginfo_t *info, void *context)
{
    ucontext_t *u = context;
    int was = errno;

    (void)signal;
    for (int i = 0; i < N_ROW; i++)
        if (rows[i].number == info->si_syscall) {
            RESULT(u) = answer(info, u, &rows[i]);
            break;
        }
    errno = was;
}

/* From now on calls of the kind are trapped, in this process. */
static int trap(int kind)
{
    struct sock_filter f[16 + 2 * N_ROW];
    uintptr_t at = (uintptr_t)fault_syscall_behind;
    struct sock_fprog program = {.filter = f};
    struct sigaction a = {.sa_sigaction = trapped,
                          .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
    int n = 0;

#define LOAD(member)                                                           \
    (f[n++] = (struct sock_filter)BPF_STMT(                                    \
         BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member)))
#define UNLESS(value, skip)                                                    \
    (f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,          \
                                           (uint32_t)(value), 0, skip))
#define RETURN(what)                                                           \
    (f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, what))
    LOAD(instruction_pointer);
    UNLESS(at, 3);
    f[n++] = (struct sock_filter)BPF_STMT(
        BPF_LD | BPF_W | BPF_ABS,
        offsetof(struct seccomp_data, instruction_pointer) + 4);
    UNLESS((uint64_t)at >> 32, 1);
    RETURN(SECCOMP_RET_ALLOW);
    LOAD(arch);
    f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                          (uint32_t)ARCH, 1, 0);
    RETURN(SECCOMP_RET_ALLOW);
    LOAD(nr);
    for (int i = 0; i < N_ROW; i++)
        if (rows[i].kind == kind) {
            UNLESS(rows[i].number, 1);
            RETURN(SECCOMP_RET_TRAP);
        }
    RETURN(SECCOMP_RET_ALLOW);
    program.len = (unsigned short)n;
    return sigaction(SIGSYS, &a, NULL) ||
           prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* --- allocations --------------------------------------------------------- */

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t align, size_t n);

/* Those behind this library: the C library's or a sanitizer's. */
static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void *(*memalign)(size_t, size_t);
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
                  void *);
} next = {__libc_malloc, __libc_calloc, __libc_realloc, __libc_memalign, NULL};

enum { TABLE = 4 * FAULT_STACKS };
static uint64_t seen[TABLE];
static __thread int inside;

static void find_next(void)
{
    static int done;

    if (done)
        return;
    done = 1;
    *(void **)&next.malloc = dlsym(RTLD_NEXT, "malloc");
    *(void **)&next.calloc = dlsym(RTLD_NEXT, "calloc");
    *(void **)&next.realloc = dlsym(RTLD_NEXT, "realloc");
    *(void **)&next.memalign = dlsym(RTLD_NEXT, "memalign");
    *(void **)&next.create = dlsym(RTLD_NEXT, "pthread_create");
}

/* Note the number of the call if nobody came this way before. */
static void record(int64_t call)
{
    void *frame[DEEP];
    int n = backtrace(frame, DEEP);
    uint64_t h = 1469598103934665603u;
    size_t at;

    for (int i = 0; i < n; i++)
        h = (h ^ (uintptr_t)frame[i]) * 1099511628211u;
    h += !h;
    for (at = h % TABLE; seen[at] && seen[at] != h; at = (at + 1) % TABLE)
        ;
    if (seen[at] || shared->n_stack >= FAULT_STACKS)
        return;
    seen[at] = h;
    shared->first[shared->n_stack++] = call;
}

/* Is there no memory? */
static int is_out(void)
{
    int out;

    find_next();
    if (!active || shared->kind != FAULT_MALLOC || inside)
        return 0;
    inside = 1;
    out = is_hit();
    if (out)
        note(-1, "");
    else if (shared->record)
        record(shared->calls);
    inside = 0;
    if (out)
        errno = ENOMEM;
    return out;
}

void *malloc(size_t n)
{
    return is_out() ? NULL : next.malloc(n);
}

void *calloc(size_t n, size_t size)
{
    return is_out() ? NULL : next.calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    return is_out() ? NULL : next.realloc(p, n);
}

void *memalign(size_t align, size_t n)
{
    return is_out() ? NULL : next.memalign(align, n);
}

void *aligned_alloc(size_t align, size_t n)
{
    return memalign(align, n);
}

int posix_memalign(void **out, size_t align, size_t n)
{
    void *p = memalign(align, n);

    if (!p)
        return ENOMEM;
    *out = p;
    return 0;
}

/* --- threads ------------------------------------------------------------- */

int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *),
                   void *context)
{
    find_next();
    if (active && shared->kind == FAULT_THREAD && is_hit()) {
        note(-1, "");
        return EAGAIN;
    }
    return next.create(t, a, f, context);
}

/* --- who crashed --------------------------------------------------------- */

/* The innermost frame that is neither of the C library nor ours. */
static void died(int number)
{
    static const char *const not_these[] = {"inject", "libc.so", "ld-linux",
                                            "libstdc++", "libgcc_s"};
    void *frame[DEEP];
    int n = backtrace(frame, DEEP);

    if (getenv("FAULT_TRACE"))
        backtrace_symbols_fd(frame, n, STDERR_FILENO);
    for (int i = 0; i < n && !shared->died_in[0]; i++) {
        Dl_info info;
        int passed = !dladdr(frame[i], &info) || !info.dli_fname;

        for (size_t k = 0; k < sizeof(not_these) / sizeof(*not_these); k++)
            passed = passed || strstr(info.dli_fname, not_these[k]);
        if (!passed)
            snprintf(shared->died_in, FAULT_WHAT, "%s", info.dli_fname);
    }
    signal(number, SIG_DFL);
    raise(number);
}

/* --- before main --------------------------------------------------------- */

static int (*real_main)(int, char **, char **);
static volatile pid_t child;

static void too_long(int signal)
{
    (void)signal;
    kill(child, SIGKILL);
}

/* The arguments, with one more where there is one. */
static char **arguments(int *argc, char **argv)
{
    static char *more[128];

    if (!shared->more[0] || *argc > 126)
        return argv;
    memcpy((void *)more, (void *)argv, (size_t)*argc * sizeof(*argv));
    more[(*argc)++] = shared->more;
    more[*argc] = NULL;
    return more;
}

/* Run main in a child whenever asked; how it ended goes back. */
static int serve(int argc, char **argv, char **environment)
{
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
    void *frame[2];
    char seconds;

    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED,
                  FAULT_FD_SHARED, 0);
    if (shared == MAP_FAILED)
        return 125;
    backtrace(frame, 2); /* loads what it needs */
    signal(SIGALRM, too_long);
    while (read(FAULT_FD_ASK, &seconds, 1) == 1) {
        int status = 0;

        child = fork();
        if (!child) {
            signal(SIGALRM, SIG_DFL);
            close(FAULT_FD_ASK);
            close(FAULT_FD_ANSWER);
            close(FAULT_FD_SHARED);
            if (!getenv("ASAN_OPTIONS"))
                for (size_t i = 0; i < sizeof(deadly) / sizeof(*deadly); i++)
                    signal(deadly[i], died);
            argv = arguments(&argc, argv);
            active = 1;
            if (shared->kind != FAULT_NONE && shared->kind != FAULT_MALLOC &&
                shared->kind != FAULT_THREAD && trap(shared->kind))
                _exit(125);
            return real_main(argc, argv, environment);
        }
        alarm((unsigned)seconds);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
        alarm(0);
        if (write(FAULT_FD_ANSWER, &status, sizeof(status)) != sizeof(status))
            break;
    }
    _exit(0);
}

int __libc_start_main(int (*f)(int, char **, char **), int argc, char **argv,
                      void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end);

int __libc_start_main(int (*f)(int, char **, char **), int argc, char **argv,
                      void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end)
{
    int (*start)(int (*)(int, char **, char **), int, char **, void (*)(void),
                 void (*)(void), void (*)(void), void *);

    *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = f;
    return start(getenv("FAULT_SERVE") ? serve : f, argc, argv, init, fini,
                 rtld_fini, stack_end);
}
