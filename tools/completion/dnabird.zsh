#compdef dnabird
# Completion of dnabird in zsh; made by tools/completion.sh.
# SPDX-License-Identifier: MIT

_dnabird_word_or_file() {
    _alternative "words:word:($*)" 'files:file:_files'
}

_dnabird() {
    local command= second
    local -a seconds specs words_of
    integer shifted=1

    if (( CURRENT > 2 )); then
        command=$words[2] shifted=2
    fi
    if [[ $command == help ]]; then
        (( CURRENT > 3 )) && command=$words[3] || command=
        (( CURRENT < 5 )) || return 1
        _dnabird_table "$command"
        seconds=(${seconds:#help:*})
        if [[ -z $command ]]; then
            seconds+=(formats:'files read and written' scores:'meaning of the numbers' \
                status:'why an allele has no scores')
            _arguments '1:command:{_describe command seconds}' --options --commands --settings
        else
            _describe command seconds
        fi
        return
    fi
    _dnabird_table "$command"
    if (( CURRENT == 2 )); then
        _describe command seconds
        _arguments --help --version
        return
    fi
    # a second word, or an option that stands for one wherever it is
    for second in ${seconds%%:*}; do
        if [[ $second == -* ]] && (( ${words[3,CURRENT-1][(Ie)$second]} )); then
            _dnabird_table "$command $second"
            seconds=()
            break
        elif [[ $second != -* && $words[3] == $second ]] && (( CURRENT > 3 )); then
            _dnabird_table "$command $second"
            seconds=() shifted=3
            break
        fi
    done
    for second in ${(M)seconds:#-*}; do
        specs+=("${second%%:*}[${second#*:}]")
    done
    seconds=(${seconds:#-*})
    if (( CURRENT == 3 && shifted == 2 && $#seconds )) && [[ $PREFIX != -* ]]; then
        _describe command seconds
    fi
    (( $#specs )) || return
    words=("$words[1]" "${(@)words[shifted+1,-1]}")
    (( CURRENT -= shifted - 1 ))
    _arguments -s -S $specs
}
