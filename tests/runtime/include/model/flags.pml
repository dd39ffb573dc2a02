/*
 * The flags of the plain protocol (runtime/include/sccl/device.h, device_run.h), for one block of RANKS ranks, CALLS calls
 * in a row, without anything between the calls. The program is a ring of two steps: each rank sends its own data to the
 * next rank's slot A, then forwards what it received in A to the next one's slot B; what it finds in B is its output.
 * With -DCHAIN the program is a broadcast along a chain, whose first rank waits for nobody, so that only credits keep it
 * from running ahead. Data are written in two stores, so that a reader that comes early sees halves. What each name below
 * stands for in a generated program is in docs/concepts/flag-protocol.md.
 *
 * Safety: what is read is of this call, whole, and of the right rank. Progress: no state without an exit but the end.
 * -DFAULT_... plants a fault, and each must be found (model.sh).
 */
#ifndef RANKS
#define RANKS 2
#endif
#ifndef CALLS
#define CALLS 3
#endif
#define NEXT ((me + 1) % RANKS)
#define PREV ((me + RANKS - 1) % RANKS)
#define SIGNALS 2 /* by how much a call advances the epoch; in a chain of one step, a number that leaves a gap */
#define VALUE(rank, call) (1 + (call) * RANKS + (rank))

byte ready[RANKS];  /* [owner]: the flag SCCL_READY in OWNER's memory, which the next rank posts: "you may write" */
byte data[RANKS];   /* [owner]: SCCL_DATA, which the previous rank posts: "I have written k times" */
byte low[2 * RANKS], high[2 * RANKS]; /* [2 owner + slot]: both halves of slots A and B */
byte done;

#ifdef FAULT_EQUAL /* flags are compared for equality, though a peer may be ahead */
#define REACHED(flag, value) ((flag) == (value))
#else
#define REACHED(flag, value) ((flag) >= (value))
#endif

/* A copy into the next rank's slot, in two stores; the signal behind it is a release, so it comes after both. */
inline copy_and_signal(slot, value, k)
{
#if defined(FAULT_EARLY_FLAG)
	post(k);
	low[2 * NEXT + slot] = value;
	high[2 * NEXT + slot] = value;
#elif defined(FAULT_RELAXED) /* the flag may overtake stores */
	if
	:: low[2 * NEXT + slot] = value; high[2 * NEXT + slot] = value; post(k)
	:: low[2 * NEXT + slot] = value; post(k); high[2 * NEXT + slot] = value
	fi
#else
	low[2 * NEXT + slot] = value;
	high[2 * NEXT + slot] = value;
	post(k)
#endif
}

inline post(k)
{
#if defined(FAULT_LOST_SIGNAL)
	if
	:: k == 1 -> data[NEXT] = epoch + k
	:: else -> skip
	fi
#elif defined(FAULT_COUNTED) /* a signal adds one to what it finds, instead of storing the epoch's number */
	read = data[NEXT];
	data[NEXT] = read + 1 + (k == 2 -> 1 : 0)
#else
	data[NEXT] = epoch + k
#endif
}

inline check(slot, value)
{
	assert(low[2 * me + slot] == value);
	assert(high[2 * me + slot] == value)
}

inline offer()
{
#ifdef FAULT_NO_OFFER
	skip
#else
	ready[PREV] = epoch + 1
#endif
}

inline credit()
{
#if defined(FAULT_NO_CREDIT)
	skip
#elif defined(FAULT_OLD_CREDIT) /* the credit of the call before is taken for this one's */
	REACHED(ready[me] + SIGNALS, epoch + 1)
#elif defined(FAULT_LATE_CREDIT) /* a store goes out before it is awaited */
	low[2 * NEXT] = 0;
	REACHED(ready[me], epoch + 1)
#else
	REACHED(ready[me], epoch + 1)
#endif
}

inline wait_for_first()
{
#ifdef FAULT_NO_WAIT_1
	skip
#else
	REACHED(data[me], epoch + 1)
#endif
}

inline end()
{
#ifdef FAULT_EPOCH /* it advances by fewer than a call has signals */
	epoch = epoch + SIGNALS - 1;
#else
	epoch = epoch + SIGNALS;
#endif
#ifdef FAULT_RESET /* flags are cleared after a call, though a peer may be in the next */
	data[me] = epoch - SIGNALS;
	ready[me] = epoch - SIGNALS;
#endif
}

/* A broadcast: what the first rank has goes from each to the next. */
proctype link(byte me)
{
	byte epoch = 0, call = 0, read = 0;

	do
	:: call < CALLS ->
		read = VALUE(0, call);
		if
		:: me > 0 -> offer(); wait_for_first(); check(0, read)
		:: else -> skip
		fi;
		if
		:: me < RANKS - 1 -> credit(); copy_and_signal(0, read, 1)
		:: else -> skip
		fi;
		end();
		call++
	:: else -> break
	od;
	done++
}

proctype rank(byte me)
{
	byte epoch = 0, call = 0, read = 0;

	do
	:: call < CALLS ->
		offer();
		credit();
		copy_and_signal(0, VALUE(me, call), 1);
		wait_for_first();
		check(0, VALUE(PREV, call));
		read = low[2 * me];
		copy_and_signal(1, read, 2);
#if defined(FAULT_NO_WAIT_2)
		skip;
#elif defined(FAULT_WAIT_FOR_FIRST)
		REACHED(data[me], epoch + 1);
#else
		REACHED(data[me], epoch + 2);
#endif
		check(1, VALUE((me + RANKS - 2) % RANKS, call));
		end();
		call++
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
