# Chunks that the plain words of a generated program read and write: the sums over its moves of sources and of targets.
/ packets_0\[\]/ { exit }
/^\tSCCL_(COPY|REDUCE|TOTAL)\(/ {
	split($0, a, /[(),] */)
	reads += /COPY/ ? 1 : a[4]
	writes += /COPY/ ? a[4] : a[5]
}
END { print reads + 0, writes + 0 }
