#!/bin/bash
# A name has one meaning in src, include and tools; prints TAP.
# SPDX-License-Identifier: MIT
#
#   names.sh SOURCE_ROOT
#
# Global names are the tags (struct, union, enum), typedefs and functions that a
# header defines, all that begin with bird_, and functions with external
# linkage. Each is defined in one file and as one thing; a typedef may have the
# name of its struct, and a function that of the type that it returns. A .c file may give its own tags and static functions
# any other name, as in any C program: no other file sees them. gemm_onednn.c is
# what gemm_low.c is without oneDNN: a build has one of them.
set -u
. "$(dirname "$0")/../support/tap.sh"
cd "$1" || exit 1

# definitions FILE...: lines "KIND NAME FILE"; kinds are tag, typedef, function
# and, in a .c file without the prefix bird_, own-tag and own-function
definitions() {
    perl -0777 -e '
    for my $path (@ARGV) {
        open my $in, "<", $path or die "$path: $!\n";
        my $text = <$in>;
        # no comments, texts, preprocessor lines
        $text =~ s{("(?:\\.|[^"\\\n])*"|\x27(?:\\.|[^\x27\\\n])*\x27)|/\*.*?\*/|//[^\n]*}
                  {defined $1 ? "0" : " "}gse;
        $text =~ s{^[ \t]*\#(?:\\\n|[^\n])*}{}gm;
        my $tell = sub {
            my ($kind, $name, $is_own) = @_;
            $is_own = 0 if $name =~ /^bird_/ || $path =~ /\.h$/;
            print $is_own ? "own-" : "", "$kind $name $path\n";
        };
        $tell->("tag", $2, 1)
            while $text =~ /\b(struct|union|enum)\s+(\w+)\s*\{/g;
        # what is between braces goes; a function ends like a declaration
        $text =~ s/__attribute__\s*(\((?:[^()]++|(?1))*\))//g;
        $text =~ s/(\{(?:[^{}]++|(?1))*\})/{}/g;
        $text =~ s/\)\s*\{\}/){};/g;
        for my $part (split /\s*;/, $text) {
            if ($part =~ /\btypedef\s+(?:struct|union|enum)\s+(\w+).*?\b\1$/s) {
                # struct x and x are the same type
            } elsif ($part =~ /\btypedef\b/) {
                $tell->("typedef", $1, 0)
                    if $part =~ /\(\s*\*\s*(\w+)\s*\)\s*\(/ ||
                       $part =~ /(\w+)\s*\([^()]*\)$/ ||
                       $part =~ /(\w+)\s*(?:\[[^\]]*\])?$/;
            } elsif ($part =~ /^([^=]*?)\b([a-z]\w*)\s*\(.*\)\{\}$/s && $2 ne "main") {
                my ($before, $name) = ($1, $2);
                # a function may have the name of the type that it returns
                $tell->("function", $name, $before =~ /\bstatic\b/)
                    unless $before =~ /\b(struct|enum)\s+$name\b/;
            }
        }
    }' -- "$@"
}

all=$(find src include tools -name '*.[ch]' ! -name gemm_onednn.c | sort | xargs -r bash -c "$(declare -f definitions)"'; definitions "$@"' _ | sort -u)
for kind in tag typedef function; do
    [ "$(grep -c "^$kind " <<<"$all")" -gt 10 ] ||
        { echo "Bail out! hardly any $kind found"; exit 1; }
done

# twice KIND: global names of this kind that two files define. A header may have
# another definition of what its .c file defines, for another kind of build.
twice() {
    grep -E "^($1) " <<<"$all" | awk '
        {
            stem = $3
            sub(/\.[ch]$/, "", stem)
            if (!(($2, stem) in seen)) { files[$2] = files[$2] " " $3; n[$2]++ }
            seen[$2, stem] = 1
        }
        END { for (x in n) if (n[x] > 1) print x ":" files[x] }' | sort
}
twice tag | rule "a struct, union or enum tag is defined in one file"
twice typedef | rule "a type's name is defined in one file"
twice function | rule "a function is defined in one file"

awk '$1 == "tag" { tag[$2] = $3 }
     $1 == "typedef" { type[$2] = $3 }
     $1 == "function" { function_of[$2] = $3 }
     END {
         for (x in function_of) {
             if (x in tag) print x ": a tag in " tag[x] ", a function in " function_of[x]
             if (x in type) print x ": a type in " type[x] ", a function in " function_of[x]
         }
         for (x in type)
             if (x in tag && tag[x] != type[x])
                 print x ": a type in " type[x] ", another tag in " tag[x]
     }' <<<"$all" | sort | rule "a function has no type's name"

awk '$1 == "own-tag" || $1 == "own-function" { own[$2] = own[$2] " " $3 }
     $1 == "tag" || $1 == "function" { global[$2] = $3 }
     END { for (x in own) if (x in global) print x ":" own[x] " and, for all, " global[x] }' \
    <<<"$all" | sort | rule "a file's own name is no global one"

end_rules
