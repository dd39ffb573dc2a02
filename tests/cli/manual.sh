#!/bin/sh
# Manual pages and completion, which come from the tables of options. usage: manual.sh SCCL-SYNTH SOURCE COMMAND...
commands=$(shift 2; echo "$*")
. "$(dirname "$0")/tap.sh"

same 'every command has a page' "$("$program" --print-commands | cut -f1)" "$(echo "$commands" | tr ' ' '\n' >list; echo list)"
# Each page is read by man without a warning, and has every option that --help has.
for command in $commands; do
	"$program" "$command" --print-manual >page.1
	if command -v man >/dev/null && command -v groff >/dev/null; then
		LC_ALL=C.UTF-8 MANWIDTH=200 man --warnings -l page.1 >shown 2>warned
		[ ! -s warned ] && grep -q "^NAME" shown
		ok $? "$command: its page has no warning"
	else
		cp page.1 shown
		skip "$command: its page has no warning" 'no man'
	fi
	"$program" "$command" --help | grep -oE '^ {1,8}(-[a-zA-Z], )?--[a-z-]+' | grep -oE '\-\-[a-z-]+' | grep -vx -e --help -e --usage | sort -u >options
	sed 's/\\-/-/g' page.1 >plain
	missing=$(while read -r option; do grep -q -e "^\.B .*$option" plain || echo "$option"; done <options)
	[ -z "$missing" ]
	ok $? "$command: and all options"
	[ -z "$missing" ] || echo "# $missing"
	"$program" "$command" --print-options | awk -F '\t' 'NF != 5 {bad = 1} END {exit bad}'
	ok $? "$command: five fields for each option"
done
run 2 show --print-manuals

# complete WORD...: what bash proposes for the last word.
complete() {
	PROGRAM=$program bash -c '. "$0"; sccl-synth() { "$PROGRAM" "$@"; }; COMP_WORDS=(sccl-synth "$@"); COMP_CWORD=$#; _sccl_synth; printf "%s\n" "${COMPREPLY[@]}"' \
		"$source/cli/completion/sccl-synth.bash" "$@" >proposed
}
complete par
same 'a command' pareto proposed
complete show --for
same 'an option' --format proposed
complete show --format d
same 'a value among words' dot proposed
complete best -t dgx-b
same 'a machine' dgx-b200 proposed
complete best -c alltoa
same 'a collective' alltoall proposed
complete topology isom
same 'what topology does' isomorphic proposed
mkdir folder && touch folder/file.json
complete verify fold
same 'a file' folder proposed
if command -v zsh >/dev/null; then
	zsh -n "$source/cli/completion/_sccl-synth"
	ok $? 'zsh reads its completion'
else
	skip 'zsh reads its completion' 'no zsh'
fi
finish
