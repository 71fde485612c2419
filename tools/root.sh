# Functions for folders that contain a Debian: make them, run commands in them, check.
# To be sourced after setup.sh.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash
passed=0 failed=0

# may_enter_roots: can this machine do that? If not, print the reason.
may_enter_roots() {
    if [ "$(id -u)" != 0 ]; then
        say "$0 needs root: it enters a root of its own"
        return 1
    fi
    command -v mmdebstrap >/dev/null || install_packages mmdebstrap
}

# sources: the sources of this machine's apt
sources() {
    local f
    for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.list \
        /etc/apt/sources.list.d/*.sources; do
        [ -s "$f" ] && echo "$f"
    done
}

# make_root DIR: the smallest Debian of this machine's release; ROOT_BASE names a tar
# archive to unpack instead, which is made if it is missing
make_root() {
    local list base=${ROOT_BASE-} made=
    if [ -z "$base" ] || [ ! -s "$base" ]; then
        list=$(sources)
        made=${base:+$base.part.tar}
        # shellcheck disable=SC1091 # the system's file
        # shellcheck disable=SC2086 # a list of files
        (. /etc/os-release && mmdebstrap --quiet --variant=minbase \
            "$VERSION_CODENAME" "${made:-$1}" $list) || return 1
    fi
    if [ -n "$base" ]; then
        [ -z "$made" ] || mv "$made" "$base" || return 1
        mkdir -p "$1" && tar -xpf "$base" -C "$1" --numeric-owner \
            --exclude='./dev/*' || return 1
    fi
    cp -L /etc/resolv.conf /etc/hosts "$1/etc/"
}

# inside DIR COMMAND: by the root's own bash, in its /, without this machine's
# environment except for access to the packages; ROOT_NET=none: without any network
inside() {
    local net=
    [ "${ROOT_NET-}" != none ] || net=--net
    # shellcheck disable=SC2086 # no word or one
    unshare --mount --pid $net --fork --kill-child bash -c '
        mount --make-rprivate / && mount --rbind /dev "$0/dev" &&
            mount -t proc proc "$0/proc" && cd "$0" &&
            exec chroot . /usr/bin/env -i HOME=/root TERM=dumb LC_ALL=C.UTF-8 \
                PATH=/usr/sbin:/usr/bin:/sbin:/bin \
                DEBIAN_FRONTEND=noninteractive \
                ${http_proxy:+http_proxy="$http_proxy"} \
                ${https_proxy:+https_proxy="$https_proxy"} \
                bash -c "cd / && $1"' "$1" "$2" </dev/null
}

# check NAME COMMAND...: its log in $out/NAME.log; if it fails, print the end
check() {
    local name=$1 start=$SECONDS log
    shift
    # shellcheck disable=SC2154 # the folder of who sources this
    log=$out/${name// /_}.log
    if "$@" >"$log" 2>&1; then
        passed=$((passed + 1))
        echo "ok - $name ($((SECONDS - start)) s)"
    else
        failed=$((failed + 1))
        echo "not ok - $name ($((SECONDS - start)) s)"
        tail -n 30 "$log" | sed 's/^/# /'
        false
    fi
}

# finish: the sum of the checks, and the exit status
finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ] && [ "$passed" -gt 0 ]
    exit
}
