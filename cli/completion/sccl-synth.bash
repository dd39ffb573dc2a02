# Completion of sccl-synth in bash. Commands and options come from the program itself.

_sccl_synth_machines()
{
	"$1" topology list --json 2>/dev/null | sed -n 's/^{"name": "\([^"]*\)".*/\1/p'
}

# _sccl_synth_value PROGRAM COMMAND OPTION: what the value of OPTION may be, in COMPREPLY. Status 1: it takes none.
_sccl_synth_value()
{
	local name letter argument words
	while IFS='|' read -r name letter argument words _; do
		[ "$3" = "$name" ] || [ "$3" = "$letter" ] || continue
		[ -n "$argument" ] || return 1
		case $argument in
		T) words=$(_sccl_synth_machines "$1") ;;
		KIND) words='allgather broadcast gather scatter alltoall reduce reducescatter allreduce scan' ;;
		TARGET) words='host cuda hip' ;;
		esac
		if [ -n "$words" ]; then
			mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
		elif [ "$argument" = DIR ]; then
			mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		else
			mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		fi
		return 0
	done < <("$1" "$2" --print-options 2>/dev/null | tr '\t' '|')
	return 1
}

_sccl_synth()
{
	local program=${COMP_WORDS[0]} command=${COMP_WORDS[1]-} cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	COMPREPLY=()
	if [ "$COMP_CWORD" -le 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W "$("$program" --print-commands 2>/dev/null | cut -f1) --help --version" -- "$cur")
	elif [ "${prev#-}" != "$prev" ] && _sccl_synth_value "$program" "$command" "$prev"; then
		return
	elif [ "${cur#-}" != "$cur" ]; then
		mapfile -t COMPREPLY < <(compgen -W "$("$program" "$command" --print-options 2>/dev/null | cut -f1)" -- "$cur")
	elif [ "$command" = topology ] && [ "$COMP_CWORD" -eq 2 ]; then
		mapfile -t COMPREPLY < <(compgen -W 'list show parts isomorphic probe' -- "$cur")
	elif [ "$command" = topology ]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_sccl_synth_machines "$program")" -- "$cur")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
	fi
}
complete -o filenames -F _sccl_synth sccl-synth
