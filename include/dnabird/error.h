/**
 * Statuses, the message of the last error, and export marks.
 *
 * Every function that can fail returns 0 or a negative bird_status and stores
 * one message: what, where (file, record, line), what to do.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_ERROR_H
#define DNABIRD_ERROR_H

#if defined(__GNUC__)
#define BIRD_API          __attribute__((visibility("default")))
#define BIRD_MUST_CHECK   __attribute__((warn_unused_result))
#define BIRD_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define BIRD_API
#define BIRD_MUST_CHECK
#define BIRD_PRINTF(f, a)
#endif

/** Around the declarations of a header: a C++ compiler reads them as C. */
#ifdef __cplusplus
#define BIRD_BEGIN_C extern "C" {
#define BIRD_END_C   }
#else
#define BIRD_BEGIN_C
#define BIRD_END_C
#endif

BIRD_BEGIN_C

enum bird_status {
    BIRD_OK = 0,
    BIRD_EINVAL = -1,       /* an argument or option is invalid */
    BIRD_EIO = -2,          /* a system call failed: open, read, write, disk
                               full */
    BIRD_EFORMAT = -3,      /* a file's content is wrong or cut short */
    BIRD_ENOMEM = -4,       /* out of memory */
    BIRD_ERANGE = -5,       /* a position or id is out of range */
    BIRD_EUNSUPPORTED = -6, /* well formed, but not supported */
    BIRD_ECANCELED = -7     /* the caller's callback requested a stop */
};

/**
 * The message of this thread's last failure; "": none.
 * Owner: the library; valid until this thread's next failing call.
 */
BIRD_API const char *bird_last_error(void);

BIRD_END_C

#endif
