# What zsh offers: run as
#   zsh -f complete.zsh FOLDER SCRATCH LINES
# FOLDER has _dnabird. Prints for each line of LINES "[LINE]" and the matches, a line
# each. Completion needs a terminal: a shell in a pseudo-terminal, which leaves
# files in SCRATCH.
# SPDX-License-Identifier: MIT
zmodload zsh/zpty || exit 77
folder=$1 scratch=$2 lines=$3
: >$scratch/matches

cat >$scratch/rc <<'END'
PS1= PROMPT_EOL_MARK= LISTMAX=10000
setopt no_beep
autoload -U compinit && compinit -u -D
compadd() {
    local -a hits
    if [[ " $* " != *' -'[OAD]' '* ]]; then
        builtin compadd -O hits "$@"
        print -rl -- $hits >>$scratch/matches
    fi
    builtin compadd "$@"
}
try() {
    local line
    for line in ${(f)"$(<$lines)"}; do
        print -r -- "[$line]" >>$scratch/matches
        BUFFER=$line CURSOR=$#line
        zle list-choices
    done
    : >$scratch/done
    BUFFER=
}
zle -N try
bindkey '^T' try
END
zpty shell "TERM=vt100 zsh -f -i"
zpty -w shell "scratch=${(q)scratch} lines=${(q)lines} fpath=(${(q)folder} \$fpath); . ${(q)scratch}/rc"
zpty -w shell $'\C-t'
for i in {1..600}; do
    while zpty -r -t shell text; do :; done
    [[ ! -e $scratch/done ]] || break
    sleep 0.05
done
zpty -d shell
sed '/^$/d' $scratch/matches
