/*
 * The packet protocol (sccl/device_simt.h, device_block.h): data and their mark are one store, so there are no signals
 * and no waits. Two sets of slots alternate between calls; at its end a call offers its set again, and a writer waits for
 * the offer of the call before the previous one. CALLS calls of RANKS ranks, as in flags.pml: in a ring, or with -DCHAIN in
 * a chain, where the first rank waits for nobody, so that only credits keep it from running ahead.
 *
 * With -DLINES packets are lines (device_lines.h), whose parts are stored and loaded by several lanes: `value` stands for
 * those of the lane that also has the mark, `other` for those of the other lanes. The hardware keeps a line together: all
 * lanes store it at once, and load it at once, again and again until the mark is there. With -DORDERED it does not (AMD,
 * processors): the mark is stored after the parts, and seen before they are loaded.
 *
 * With -DIMPLIED a writer does not wait where data imply the credit (credits.c): in this ring it gets in each call what its
 * reader has sent, through at most one other rank, so that the reader has ended its previous call. In calls that are not
 * whole only the first rank sends, and only to the next, and so all offer at their end, and wait behind them. A call in which
 * the block has no part at all is left out on all ranks, and not counted.
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
#ifdef LINES
byte other[4 * RANKS];
#endif
byte offered[RANKS];                     /* [owner]: how many calls the next rank has read to the end */
byte done;
#ifdef IMPLIED
#if (defined(CHAIN) || RANKS > 3) && !defined(FAULT_UNHEARD)
#error the writer hears nothing of its reader
#endif
byte out; /* the call in which the block has no part; CALLS: there is none */
bool whole[CALLS]; /* [turn] */
#define THERE (call != out)
#define HAS(origin) ((origin) == 0 || whole[turn])
#define RELAYS whole[turn]
#if defined(FAULT_EMPTY_CREDIT)
#define HEARD 1
#elif defined(FAULT_WHOLE_BEFORE) /* the call before the previous one */
#define HEARD whole[turn - 2]
#else
#define HEARD whole[turn - 1]
#endif
#ifdef FAULT_EMPTY_OFFER
#define OFFERS 0
#else
#define OFFERS !whole[turn]
#endif
#else
#define THERE 1
#define HAS(origin) 1
#define RELAYS 1
#define HEARD 0
#define OFFERS 1
#endif

#define AGAIN(turn, slot) (mark[AT(me, turn, slot)] != MARK(turn))

#ifndef LINES
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
	!AGAIN(turn, slot);
#endif
	read = value[AT(me, turn, slot)];
	assert(read == expected)
}
#else
inline packet(slot, what)
{
#if defined(FAULT_MARK_FIRST)
	mark[AT(NEXT, turn, slot)] = MARK(turn);
	other[AT(NEXT, turn, slot)] = what;
	value[AT(NEXT, turn, slot)] = what
#elif defined(ORDERED)
	other[AT(NEXT, turn, slot)] = what;
	value[AT(NEXT, turn, slot)] = what;
	mark[AT(NEXT, turn, slot)] = MARK(turn)
#elif defined(FAULT_SPLIT) /* lanes store in two transactions */
	atomic { mark[AT(NEXT, turn, slot)] = MARK(turn); value[AT(NEXT, turn, slot)] = what };
	other[AT(NEXT, turn, slot)] = what
#else
	atomic {
		mark[AT(NEXT, turn, slot)] = MARK(turn); value[AT(NEXT, turn, slot)] = what;
		other[AT(NEXT, turn, slot)] = what
	}
#endif
}

inline take(slot, expected)
{
#if defined(FAULT_ALONE) /* the lanes without the mark do not load again */
	rest = other[AT(me, turn, slot)];
	atomic { !AGAIN(turn, slot); read = value[AT(me, turn, slot)] };
#elif defined(FAULT_DATA_FIRST) /* the parts are loaded before the mark is seen */
	read = value[AT(me, turn, slot)];
	rest = other[AT(me, turn, slot)];
	!AGAIN(turn, slot);
#elif defined(ORDERED)
	!AGAIN(turn, slot);
	read = value[AT(me, turn, slot)];
	rest = other[AT(me, turn, slot)];
#else /* one load of all; those that come before the mark are not used */
	atomic {
#ifndef FAULT_UNCHECKED
		!AGAIN(turn, slot);
#endif
		read = value[AT(me, turn, slot)]; rest = other[AT(me, turn, slot)]
	};
#endif
	assert(read == expected && rest == expected);
	rest = 0
}
#endif

inline offer()
{
#ifdef FAULT_NO_OFFER
	skip
#else
	if
	:: OFFERS -> offered[PREV] = turn + 1
	:: else -> skip
	fi
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
	:: turn >= 2 -> (HEARD || offered[me] >= turn - 1)
	:: else -> skip
	fi
#endif
}

/* A broadcast: what the first rank has goes from each to the next. */
proctype link(byte me)
{
	byte turn = 0, read = 0, rest = 0;

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
	byte call = 0, turn = 0, read = 0, rest = 0;

	do
	:: call < CALLS && !THERE ->
#ifdef FAULT_ABSENT_COUNTS
		turn++;
#endif
		call++
	:: call < CALLS && THERE ->
#ifdef FAULT_EARLY_OFFER
		offer();
#endif
		credit();
		if
		:: HAS(me) -> packet(0, VALUE(me, turn))
		:: else -> skip
		fi;
		if
		:: HAS(PREV) -> take(0, VALUE(PREV, turn))
		:: else -> skip
		fi;
		if
		:: RELAYS -> packet(1, read); take(1, VALUE((me + RANKS - 2) % RANKS, turn))
		:: else -> skip
		fi;
#ifndef FAULT_EARLY_OFFER
		offer();
#endif
		turn++; call++
	:: else -> break
	od;
	done++
}

init {
	byte r;
	atomic {
#ifdef IMPLIED
		for (r : 0 .. CALLS - 1) {
			if
			:: whole[r] = true
			:: whole[r] = false
			fi
		}
		if
		:: out = 1
		:: out = 2
		:: out = CALLS
		fi;
#endif
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
