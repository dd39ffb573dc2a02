/*
 * The packet protocol (sccl/device_simt.h, device_block.h): data and their mark are one store, so there are no signals
 * and no waits. Two sets of slots alternate between calls; at its end a call offers its set again, and a writer waits for
 * the offer of the call before the previous one. CALLS calls of RANKS ranks, as in flags.pml: in a ring, or with -DCHAIN in
 * a chain, where the first rank waits for nobody, so that only credits keep it from running ahead.
 */
#ifndef RANKS
#define RANKS 2
#endif
#ifndef CALLS
#define CALLS 5
#endif
#define NEXT ((me + 1) % RANKS)
#define PREV ((me + RANKS - 1) % RANKS)
#define VALUE(rank, call) (1 + (call) * RANKS + (rank))
#ifdef FAULT_ONE_SET
#define SET(turn) 0
#else
#define SET(turn) ((turn) % 2)
#endif
#if defined(FAULT_SAME_MARK)
#define MARK(turn) 1
#elif defined(FAULT_MARKS_REPEAT) /* after as many calls as there are sets */
#define MARK(turn) (1 + (turn) % 2)
#else
#define MARK(turn) (1 + (turn))
#endif
#define AT(owner, turn, slot) (4 * (owner) + 2 * SET(turn) + (slot))

byte value[4 * RANKS], mark[4 * RANKS]; /* [owner][set][slot] */
byte offered[RANKS];                     /* [owner]: how many calls the next rank has read to the end */
byte done;

inline packet(slot, what)
{
#ifdef FAULT_TORN /* the mark and the data are two stores */
	mark[AT(NEXT, turn, slot)] = MARK(turn);
	value[AT(NEXT, turn, slot)] = what
#else
	atomic { mark[AT(NEXT, turn, slot)] = MARK(turn); value[AT(NEXT, turn, slot)] = what }
#endif
}

inline take(slot, expected)
{
#ifdef FAULT_UNCHECKED
	skip;
#else
	mark[AT(me, turn, slot)] == MARK(turn);
#endif
	read = value[AT(me, turn, slot)];
	assert(read == expected)
}

inline offer()
{
#ifdef FAULT_NO_OFFER
	skip
#else
	offered[PREV] = turn + 1
#endif
}

inline credit()
{
#if defined(FAULT_NO_CREDIT)
	skip
#elif defined(FAULT_OLD_CREDIT) /* one call further back than the sets allow */
	if
	:: turn >= 3 -> offered[me] >= turn - 2
	:: else -> skip
	fi
#else
	if
	:: turn >= 2 -> offered[me] >= turn - 1
	:: else -> skip
	fi
#endif
}

/* A broadcast: what the first rank has goes from each to the next. */
proctype link(byte me)
{
	byte turn = 0, read = 0;

	do
	:: turn < CALLS ->
		read = VALUE(0, turn);
#ifdef FAULT_EARLY_OFFER
		if
		:: me > 0 -> offer()
		:: else -> skip
		fi;
#endif
		if
		:: me < RANKS - 1 -> credit()
		:: else -> skip
		fi;
		if
		:: me > 0 -> take(0, VALUE(0, turn))
		:: else -> skip
		fi;
		if
		:: me < RANKS - 1 -> packet(0, read)
		:: else -> skip
		fi;
#ifndef FAULT_EARLY_OFFER
		if
		:: me > 0 -> offer()
		:: else -> skip
		fi;
#endif
		turn++
	:: else -> break
	od;
	done++
}

proctype rank(byte me)
{
	byte turn = 0, read = 0;

	do
	:: turn < CALLS ->
#ifdef FAULT_EARLY_OFFER
		offer();
#endif
		credit();
		packet(0, VALUE(me, turn));
		take(0, VALUE(PREV, turn));
		packet(1, read);
		take(1, VALUE((me + RANKS - 2) % RANKS, turn));
#ifndef FAULT_EARLY_OFFER
		offer();
#endif
		turn++
	:: else -> break
	od;
	done++
}

init {
	byte r;
	atomic {
		for (r : 0 .. RANKS - 1) {
#ifdef CHAIN
			run link(r)
#else
			run rank(r)
#endif
		}
	}
	done == RANKS
}
