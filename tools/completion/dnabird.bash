# Completion of dnabird in bash 4 and later; made by tools/completion.sh.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash

# _dnabird_fill WORDS...: the words that `cur` begins, WORDS being "TAKES a b c"
_dnabird_fill()
{
    local takes=$1 before= word
    shift
    case $takes in
    file | folder | files)
        compopt -o filenames 2>/dev/null
        # a.fa,b: what is before the comma stays
        [[ $takes != files || $cur != *,* ]] || before=${cur%,*},
        [[ $takes == folder ]] && takes=-d || takes=-f
        while IFS= read -r word; do
            COMPREPLY+=("$before$word")
        done < <(compgen "$takes" -- "${cur#"$before"}")
        ;;
    esac
    while IFS= read -r word; do
        COMPREPLY+=("$word")
    done < <(compgen -W "$*" -- "$cur")
}

_dnabird()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    local command='' seconds='' operands=flag table='' second i at=2
    local letter name takes list='' ended=0

    COMPREPLY=()
    # --format=bed is three words where "=" parts words
    if [[ $cur == = ]]; then
        cur=''
    elif [[ $prev == = ]] && ((COMP_CWORD > 2)); then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi

    if ((COMP_CWORD > 1)); then
        command=${COMP_WORDS[1]}
        if [[ $command == help ]]; then
            command='' at=3
            if ((COMP_CWORD > 2)); then
                ((COMP_CWORD == 3)) || return 0
                _dnabird_table "${COMP_WORDS[2]}"
            else
                _dnabird_table ''
                seconds=${seconds#help }
                list='formats scores status --commands --options --settings'
            fi
            _dnabird_fill value "$seconds" "$list"
            return 0
        fi
    fi
    _dnabird_table "$command"
    if ((COMP_CWORD == 1)); then
        _dnabird_fill value "$seconds" --help --version
        return 0
    fi
    # a second word, or an option that stands for one wherever it is
    for second in $seconds; do
        for ((i = 2; i < COMP_CWORD; i++)); do
            [[ ${COMP_WORDS[i]} == "$second" ]] || continue
            [[ $i == 2 || $second == -* ]] || continue
            command="$command $second"
            [[ $second == -* ]] || at=3
            seconds='' table='' operands=flag
            _dnabird_table "$command"
            break 2
        done
    done
    for ((i = at; i < COMP_CWORD; i++)); do
        [[ ${COMP_WORDS[i]} != -- ]] || ended=1
    done

    while read -r letter name takes; do
        [[ -n $name ]] || continue
        if [[ $ended == 0 && $takes != flag ]] &&
            [[ $prev == "--$name" || $prev == "-$letter" ]]; then
            # shellcheck disable=SC2086 # a list of words
            _dnabird_fill $takes
            return 0
        fi
        list="$list --$name"
        [[ $letter == . ]] || list="$list -$letter"
    done <<<"$table"
    for second in $seconds; do
        [[ $second != -* ]] || list="$list $second"
    done
    if [[ $cur == -* && $ended == 0 ]]; then
        _dnabird_fill value "$list"
        return 0
    fi
    # shellcheck disable=SC2086 # a list of words
    _dnabird_fill $operands
    if ((COMP_CWORD == at)); then
        for second in $seconds; do
            [[ $second == -* || " $operands " == *" $second "* ]] ||
                _dnabird_fill value "$second"
        done
    fi
}

complete -F _dnabird dnabird
