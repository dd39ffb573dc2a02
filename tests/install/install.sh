#!/bin/sh
# Installs the build into an empty folder, and uses it as others would: programs in C and C++ by pkg-config, the program
# with the data beside it, the examples by their Makefiles. usage: install.sh SCCL-SYNTH SOURCE, with $MESON, $BUILD (its
# folder), $PREFIX, $MPICC (may be empty), $CC, $CXX.
source=$2
. "$source/tests/cli/tap.sh"
unset SCCL_PATH PKG_CONFIG_LIBDIR MAKEFLAGS
CC=${CC:-cc} CXX=${CXX:-c++} name=complete_4_allreduce_c4_s2_r2
export CC
here=$source/tests/install

# works WHAT COMMAND...: it succeeds; what it says is shown where it does not.
works() {
	what=$1
	shift
	"$@" >said 2>&1 </dev/null
	status=$?
	ok $status "$what"
	[ $status = 0 ] || sed 's/^/# /' said | head -30
}

# nothing WHAT TEXT: a list of what should not be is empty.
nothing() {
	[ -z "$2" ]
	ok $? "$1"
	[ -z "$2" ] || echo "$2" | sed 's/^/# /'
}

DESTDIR=$work/stage works "it installs" "$MESON" install -C "$BUILD" --no-rebuild --quiet
[ $status = 0 ] || finish
stage=$work/stage$PREFIX
program=$(find "$stage" -path "*/bin/sccl-synth" -type f)
PKG_CONFIG_PATH=$(dirname "$(find "$stage" -name sccl.pc)") PKG_CONFIG_SYSROOT_DIR=$work/stage
LD_LIBRARY_PATH=$(dirname "$(find "$stage" -name libsccl.so)") PATH=$(dirname "$program"):$PATH
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR LD_LIBRARY_PATH PATH
libraries=$LD_LIBRARY_PATH include=$(dirname "$(find "$stage" -name sccl.h)")

# What there is.
nothing "every header is installed" "$(cd "$source/runtime/include/sccl" && for h in *; do cmp "$h" "$include/$h" 2>&1; done)"
nothing "the shared library shows names of ours alone" \
	"$(nm -D --defined-only "$libraries/libsccl.so" | awk '$3 !~ /^sccl_/')"
nothing "the static library takes names of ours alone" \
	"$(nm -g --defined-only "$libraries/libsccl.a" | awk 'NF == 3 && $3 !~ /^sccli?_/')"
nothing "every function of the header is in the shared library" "$(
	nm -D --defined-only "$libraries/libsccl.so" | awk '{print $3}' >shown
	grep -o '\<sccl_[a-z_]*(' "$include/sccl.h" | tr -d '(' | sort -u | grep -vxFf shown)"

# The synthesizer as a library, in C and C++.
nothing "that library shows names of ours alone" "$(nm -D --defined-only "$libraries/libsccl-synth.so" | awk '$3 !~ /^sccls_/')"
for compiler in "$CC" "$CXX -x c++"; do
	# shellcheck disable=SC2046,SC2086
	works "an application of libsccl-synth compiles, by $compiler" $compiler -o own "$source/tests/library/use.c" $(pkg-config --cflags --libs sccl-synth)
	same "and finds a frontier" '(6,3,7)' "$(SCCL_PATH=$source ./own >own.out; echo own.out)"
done

# The program and its data, moved as a whole.
mkdir alone && cd alone || exit 99
run 0 topology show dgx1 --json
has "machines are found in the installed data" '"nodes"' out
run 0 topology list
has "and listed" 'dgx1' out
data=$(find "$stage" -type d -path '*/sccl-synth/algorithms')
run 0 verify "$data/dgx1/allgather/c2-s2-r3.json"
printf '#!/bin/sh\necho "$@" >>"%s/compiled"\nexec %s "$@"\n' "$work" "$CC" >cc && chmod +x cc
CC=./cc run 0 run "$data/dgx1/allgather/c2-s2-r3.json" --counts 0,7,1000
has "what it runs is right" 'Out of bounds values : 0 OK' out
has "it compiles with the installed headers" "$(dirname "$include")" "$work/compiled"
tool=$(find "$stage" -name sccl-run)
mv "$tool" "$tool.away"
run 4 run "$data/dgx1/allgather/c2-s2-r3.json" --counts 7
has "it runs the installed tool" 'sccl-run: No such file' err
mv "$tool.away" "$tool"
run 0 solve -t complete:4 -c allreduce -C 4 -S 2 -R 2 -o sum.json
run 0 lower sum.json --target host --types f32,i64 --ops sum,max -o .

# Programs from outside.
c="-std=c11 -D_POSIX_C_SOURCE=200809L -pedantic -Wall -Wextra -Werror"
flags=$(pkg-config --cflags sccl) shared=$(pkg-config --libs sccl)
static=$(pkg-config --static --libs sccl | sed 's/-lsccl/-Wl,-Bstatic -lsccl -Wl,-Bdynamic/')
needs() { readelf -d "$1" | grep -c 'NEEDED.*libsccl'; }
application=$source/examples/processes/processes.c
works "C, the shared library" $CC $c $flags -I. "$application" $name.c -o dynamic $shared
works "runs" ./dynamic 1000
ok $(($(needs dynamic) != 1)) "and loads it"
run 0 lower sum.json --target host --split -o units
works "C, each kernel from its own file" $CC $c $flags -Iunits "$application" units/*.c -o units/split $shared
works "runs" units/split 1000
works "C, the static library" $CC $c $flags -I. "$application" $name.c -o static $static
LD_LIBRARY_PATH= works "runs" ./static 1000
ok $(($(needs static) != 0)) "and needs no other"
if command -v "$CXX" >/dev/null; then
	works "the program in C, to be linked with C++" $CC $c $flags -c $name.c
	works "C++" "$CXX" -std=c++17 -pedantic -Wall -Wextra -Werror $flags -I. "$here/outside.cpp" $name.o -o plusplus $shared -lpthread
	works "runs" ./plusplus
else
	skip "C++" "no $CXX"
fi
for header in sccl program device ${MPICC:+bootstrap_mpi}; do
	echo "#include <sccl/$header.h>" >one.c
	cp one.c one.cpp
	compiler=$CC plus=$CXX
	[ $header = bootstrap_mpi ] && compiler=$MPICC plus=mpicxx # without Open MPI's own C++, which does not compile so
	works "$header.h stands alone in C" "$compiler" $c $flags -fsyntax-only one.c
	command -v "$plus" >/dev/null && works "$header.h stands alone in C++" "$plus" -std=c++17 -Wall -Wextra -Werror $flags -DOMPI_SKIP_MPICXX -fsyntax-only one.cpp
done

# The examples, copied out.
cp "$source/examples/processes/processes.c" "$source/examples/processes/Makefile" . && rm -f sum.json $name.*
if command -v make >/dev/null; then
	works "the example is made" make
	works "and runs" ./processes
	has "and says so" '^rank 3: 10 sums of 100000 floats, 0 elements wrong$' said
else
	skip "the example is made" "no make"
fi
finish
