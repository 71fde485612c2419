/* Identify the BLAS: the symbol cblas_sgemm leads to the file that was loaded,
 * and the symbols of that file tell which library it is.
 * SPDX-License-Identifier: MIT */
#include "kernel/blas.h"

/* MKL's header has another name. */
#if __has_include(<cblas.h>)
#include <cblas.h>
#else
#include <mkl_cblas.h>
#endif
#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef BIRD_BLAS_PROBE
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/fail.h"
#include "dnabird/dnabird.h"
#include "kernel/gemm.h"
#endif

/* Path of the file that contains cblas_sgemm, with symbolic links resolved; "" if
 * it is unknown, as in a program that is statically linked with the BLAS. */
static void find_file(char out[PATH_MAX])
{
    void *sgemm = dlsym(RTLD_DEFAULT, "cblas_sgemm");
    Dl_info at;

    out[0] = '\0';
    if (sgemm && dladdr(sgemm, &at) && at.dli_fname &&
        !realpath(at.dli_fname, out))
        snprintf(out, PATH_MAX, "%s", at.dli_fname);
}

/* A function of the loaded BLAS or of a library that it needs: another BLAS
 * in the process does not count. */
static void *function(const char *name)
{
    void *sgemm = dlsym(RTLD_DEFAULT, "cblas_sgemm"), *library, *f;
    Dl_info at;

    if (!sgemm || !dladdr(sgemm, &at) || !at.dli_fname)
        return NULL;
    library = dlopen(at.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        return NULL;
    f = dlsym(library, name);
    dlclose(library); /* stays loaded: the program is linked with it */
    return f;
}

/* FlexiBLAS hands every call to a library of the user's choice. */
static int flexiblas(char *out, size_t size)
{
    int (*backend)(char *, size_t);
    char name[128] = "";

    *(void **)&backend = function("flexiblas_current_backend");
    if (!backend)
        return -1;
    backend(name, sizeof(name) - 1);
    snprintf(out, size, "FlexiBLAS with %s", name[0] ? name : "no backend");
    return name[0] && !strstr(name, "NETLIB") && !strstr(name, "netlib");
}

/* Write the BLAS's name to `out`; returns nonzero for a known BLAS. */
static int identify(char *out, size_t size)
{
    const char *(*text)(void);
    void (*text_of)(char *, int);
    char file[PATH_MAX];
    int known = flexiblas(out, size);

    if (known >= 0)
        return known;
    *(void **)&text = function("openblas_get_config");
    if (text) {
        snprintf(out, size, "%s", text());
        return 1;
    }
    *(void **)&text = function("bli_info_get_version_str");
    if (text) {
        snprintf(out, size, "BLIS %s", text());
        return 1;
    }
    *(void **)&text_of = function("MKL_Get_Version_String");
    if (text_of) {
        char version[256] = "";

        text_of(version, sizeof(version) - 1);
        snprintf(out, size, "MKL: %s", version);
        return 1;
    }
    /* Debian's libblas.so.3 of BLIS hides all names but those of BLAS */
    find_file(file);
    known = strstr(file, "/blis") || strstr(file, "/libblis");
    snprintf(out, size, known ? "BLIS" : "unknown");
    return known;
}

int bird_blas_name(char out[BIRD_BLAS_NAME])
{
    char name[512], file[PATH_MAX];
    int known = identify(name, sizeof(name));
    size_t n;

    find_file(file);
    n = strlen(name);
    while (n && strchr(" \n", name[n - 1]))
        name[--n] = '\0';
    snprintf(out, BIRD_BLAS_NAME, "%s, %s", name,
             file[0] ? file : "built into the program");
    return known;
}

/* Switch off the BLAS's own threads: the loops that call it are parallel. */
static void one_thread(void)
{
    static const char *const of_int[] = {"openblas_set_num_threads",
                                         "MKL_Set_Num_Threads",
                                         "flexiblas_set_num_threads"};
    void (*set)(int);
    void (*set_blis)(int64_t);

    for (size_t i = 0; i < sizeof(of_int) / sizeof(*of_int); i++) {
        *(void **)&set = function(of_int[i]);
        if (set)
            set(1);
    }
    *(void **)&set_blis = function("bli_thread_set_num_threads");
    if (set_blis)
        set_blis(1);
}

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* GFLOP/s of float32 products on the calling thread; takes 2 ms, or what one
 * product of 96 x 96 x 96 takes, twice. */
static double rate(void)
{
    enum { N = 96 };
    static float a[N * N], c[N * N]; /* all 0: none is too small for its type */
    double start = seconds(), last = start, least = 0, now;

    /* the fastest of several: the first may include initialisation */
    for (int n = 0; n < 2 || last - start < 2e-3; n++) {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, N, N, 1, a, N,
                    a, N, 0, c, N);
        now = seconds();
        if (!n || now - last < least)
            least = now - last;
        last = now;
    }
    return 2e-9 * N * N * N / (least > 0 ? least : 1e-9);
}

#ifdef BIRD_BLAS_PROBE
/* Print the BLAS's name; exit status 0: a known BLAS, 3: another. */
int main(void)
{
    char name[BIRD_BLAS_NAME];
    int known = bird_blas_name(name);

    one_thread();
    printf("%s (%.1f GFLOP/s)\n", name, rate());
    return known ? 0 : 3;
}
#else
static bird_blas_told *told;

void bird_blas_watch(bird_blas_told *f)
{
    told = f;
}

/* At the first call, measure an unknown BLAS and report its rate. */
static void say_once(void)
{
    static int done;
    char name[BIRD_BLAS_NAME], text[BIRD_BLAS_NAME + 256];

    if (!told || __atomic_exchange_n(&done, 1, __ATOMIC_ACQ_REL) ||
        bird_blas_name(name))
        return;
    snprintf(text, sizeof(text),
             "BLAS: %s: not OpenBLAS, BLIS or MKL; it multiplies at %.1f "
             "GFLOP/s a thread here, which training waits for. If that is "
             "slow, install OpenBLAS (Debian: libopenblas0-openmp)",
             name, rate());
    told(text);
}

void bird_gemm_init(void)
{
    one_thread();
    say_once();
}

int bird_gemm_check_memory(void)
{
    enum { BUFFER = (128 << 20) + (1 << 16) }; /* 0.3.21 on x86-64 and arm64 */
    static _Atomic int has_buffer;             /* OpenBLAS keeps it */
    struct rlimit r;
    void *probe;

    if (has_buffer || getrlimit(RLIMIT_AS, &r) || r.rlim_cur == RLIM_INFINITY ||
        !function("openblas_get_config"))
        return 0;
    probe = mmap(NULL, BUFFER, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (probe == MAP_FAILED)
        return bird_fail(BIRD_ENOMEM,
                         "OpenBLAS finds no 128 MiB for a buffer within the "
                         "limit of the address space: raise it (ulimit -v)");
    munmap(probe, BUFFER);
    has_buffer = 1;
    return 0;
}
#endif
