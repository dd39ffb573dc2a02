# shellcheck shell=sh
# Part of gpu.sh: algorithm files as compiled programs. Each is made once, in a folder of its own.
# shellcheck disable=SC2154,SC2034 # gpu.sh sets and reads them
folder_of() {
	echo "$work/made$(printf %s "$1" | tr -c 'A-Za-z0-9.' _)"
}

# A generated SOURCE as OUT.
compile() {
	if [ "$target" = cuda ]; then
		timeout -k 10 600 "$compiler" -O3 -std=c++17 -arch="$architecture" -shared -Xcompiler -fPIC \
			-I"$SOURCE_ROOT/runtime/include" "$1" -o "$2"
	else
		timeout -k 10 600 "$compiler" -O3 -std=c++17 --offload-arch="$architecture" -shared -fPIC \
			-I"$SOURCE_ROOT/runtime/include" "$1" -o "$2"
	fi
}

# The program of FILE, in DIR; what goes wrong is in DIR/log.
make_one() {
	dir=$2
	if [ "$emulated" ]; then
		timeout -k 10 300 "$SOURCE_ROOT/tests/runtime/gpu/emulated.sh" "$SCCL_SYNTH" "$STAND_IN" "$SOURCE_ROOT" "$dir/one.so" "$1" \
			>"$dir/log" 2>&1 || return 1
		mv "$dir/one.so" "$dir/$(cat "$dir/one.so.name").so"
		return
	fi
	timeout -k 10 300 "$SCCL_SYNTH" lower "$1" --target "$target" --types f32,i32,bf16 --ops sum -o "$dir" >"$dir/log" 2>&1 ||
		return 1
	source=$(find "$dir" -name '*.cu' -o -name '*.hip')
	compile "$source" "${source%.*}.so" >"$dir/log" 2>&1
}

make_programs() {
	number=0
	for file; do
		dir=$(folder_of "$file")
		[ -d "$dir" ] && continue
		mkdir "$dir" || exit 4
		number=$((number + 1))
		tell "compiling $(short "$file")"
		make_one "$file" "$dir" &
		[ $((number % jobs)) -ne 0 ] || wait
	done
	wait
}

# Leaves the compiled program of FILE in $program, and what it says of itself; false: there is none, why is in $result.
find_program() {
	dir=$(folder_of "$1")
	program=$(find "$dir" -name '*.so' 2>/dev/null | head -n 1)
	ranks=$(sed -n 's/^ *"nodes": \([0-9]*\),*$/\1/p' "$1" | head -n 1)
	combines=''
	if tr -d ' \n' <"$1" | grep -q '"reduces":\[\['; then combines=1; fi
	[ "$program" ] && return
	result="failed: not compiled: $(grep -i -m 1 error "$dir/log" >"$dir/why" || tail -n 1 "$dir/log" >"$dir/why"; first_line "$dir/why")"
	status=1
	return 1
}

# What the later parts run besides the list.
needed_by_parts() {
	[ -z "$emulated" ] || return 0
	if wants memory || wants deep || wants death || wants speed || wants step; then
		echo "$large_allgather $large_allreduce"
	fi
	if wants step; then echo "$step_files"; fi
	if wants sanitizer; then echo "$checked_files"; fi
}
