#!/bin/bash
# tools/demo.sh and tools/test.sh from a fresh clone in a Debian that has its
# base alone: what a new user meets. Needs root, mmdebstrap (installed when it
# is missing) and apt's sources; the machine's own packages stay as they are,
# and its mounts: the root is a folder, entered in namespaces of its own.
# SPDX-License-Identifier: MIT
#
#   tools/clean_root.sh [plain|reference]...
#
# reference: libblas-dev, the reference BLAS, is there before. Without a word
# both, one after the other. A root in which something failed stays
# (build-root-*, with test.log), with KEEP=1 every one. The last line of each
# is its "N passed, N failed"; status 0: the demo ended well and no test failed.
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/setup.sh
here=$PWD KEEP=${KEEP-}
[ $# -gt 0 ] || set -- plain reference

if [ "$(id -u)" != 0 ]; then
    say "tools/clean_root.sh needs root: it enters a root of its own"
    exit 1
fi
command -v mmdebstrap >/dev/null || install_packages mmdebstrap || exit 1

# sources: what apt of this machine reads
sources() {
    local f
    for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.list \
        /etc/apt/sources.list.d/*.sources; do
        [ -s "$f" ] && echo "$f"
    done
}

# make_root DIR: Debian's smallest, of this machine's release, and the clone
make_root() {
    local list
    list=$(sources)
    # shellcheck disable=SC1091 # the system's file
    # shellcheck disable=SC2086 # a list of files
    (. /etc/os-release && mmdebstrap --quiet --variant=minbase \
        "$VERSION_CODENAME" "$1" $list) || return 1
    cp -L /etc/resolv.conf /etc/hosts "$1/etc/"
    git clone -q "$here" "$1/dnabird"
}

# inside DIR COMMAND: by the root's own bash, in /dnabird, without this
# machine's environment but for what leads to the packages
inside() {
    unshare --mount --pid --fork --kill-child bash -c '
        mount --make-rprivate / && mount --rbind /dev "$0/dev" &&
            mount -t proc proc "$0/proc" && cd "$0" &&
            exec chroot . /usr/bin/env -i HOME=/root TERM=dumb \
                PATH=/usr/sbin:/usr/bin:/sbin:/bin \
                ${http_proxy:+http_proxy="$http_proxy"} \
                ${https_proxy:+https_proxy="$https_proxy"} \
                bash -c "cd /dnabird && $1"' "$1" "$2" </dev/null
}

# timed NAME COMMAND...: and say how long it took
timed() {
    local name=$1 start=$SECONDS rc
    shift
    "$@"
    rc=$?
    echo "== $name: status $rc, $((SECONDS - start)) s"
    return $rc
}

try() { # plain|reference
    local root=$here/build-root-$1 status=0
    rm -rf "$root"
    make_root "$root" || return 1
    echo "== $1: $(inside "$root" 'dpkg-query -f . -W | wc -c') packages"
    if [ "$1" = reference ]; then
        inside "$root" 'apt-get update -q &&
            DEBIAN_FRONTEND=noninteractive apt-get install -y -q \
                --no-install-recommends libblas-dev' >/dev/null 2>&1 || return 1
    fi
    timed "$1: tools/demo.sh" inside "$root" 'tools/demo.sh' || status=1
    inside "$root" 'build/tools/dnabird --version | grep ^BLAS:' || status=1
    timed "$1: tools/test.sh" inside "$root" 'tools/test.sh' \
        >"$root/test.log" 2>&1 || status=1
    grep -E '^(not ok|.*(FAIL|ERROR|TIMEOUT)) |^== |^[0-9]+ passed' \
        "$root/test.log"
    [ "$status$KEEP" != 0 ] || rm -rf "$root"
    return $status
}

status=0
for what in "$@"; do
    case $what in
    plain | reference) try "$what" || status=1 ;;
    *)
        say "tools/clean_root.sh: '$what' is neither plain nor reference"
        exit 2
        ;;
    esac
done
exit $status
