/*
 * How waits end when a rank dies, and do not when one ends in order (runtime/core/watch.c). RANKS ranks in a ring make
 * CALLS calls; at most DEATHS of them die, anywhere. A rank that waits looks, now and then, for ranks that are gone
 * although they are behind; it then raises the abort word of all. With -DGUARD it looks at the awaited rank alone, as the
 * guard of a device does, and a rank that returns an error keeps its communicator.
 *
 * Safety: no rank returns success with other data than it should, and none returns an error unless a rank has died.
 * Progress: every survivor returns.
 */
#ifndef RANKS
#define RANKS 3
#endif
#ifndef CALLS
#define CALLS 2
#endif
#ifndef DEATHS
#define DEATHS 1
#endif
#define NEXT ((me + 1) % RANKS)
#define PREV ((me + RANKS - 1) % RANKS)
#define VALUE(rank, call) (1 + (call) * RANKS + (rank))

byte ready[RANKS], data[RANKS], low[RANKS], high[RANKS]; /* as in flags.pml */
byte finished[RANKS];                                     /* the status board: how many calls have ended */
bool gone[RANKS];                                         /* its process is dead, or its communicator freed */
bool aborted[RANKS];
byte deaths, returned;

inline may_die()
{
	if
	:: deaths < DEATHS -> atomic { deaths++; gone[me] = true; goto dead }
	:: skip
	fi
}

inline raise()
{
#ifdef FAULT_OWN_WORD /* only the rank that notices stops waiting */
	aborted[me] = true
#else
	byte all = 0;
	do
	:: all < RANKS -> aborted[all] = true; all++
	:: else -> all = 0; break
	od
#endif
}

/* One rank is looked at; between the reads below it may do anything. */
inline look_at(other)
{
	if
#ifdef FAULT_ENDED_IS_GONE
	:: true ->
#else
	:: finished[other] < call + 1 ->
#endif
		if
		:: gone[other] ->
			if
#if defined(FAULT_ENDED_IS_GONE) || defined(FAULT_NO_SECOND_LOOK)
			:: true -> raise()
#else
			:: finished[other] < call + 1 -> raise()
			:: else -> skip
#endif
			fi
		:: else -> skip
		fi
	:: else -> skip
	fi
}

/*
 * Until FLAG, which PEER posts, reaches VALUE. A look changes nothing unless somebody is gone; one such look a wait is
 * played as well, since what it read may be old by then.
 */
inline await(flag, value, peer)
{
	looked = false;
	do
	:: flag >= value -> break
#ifndef FAULT_DEAF
	:: aborted[me] ->
#ifdef FAULT_ABORT_IS_DATA
		break
#else
		goto failed
#endif
#endif
#ifndef FAULT_NO_WATCH
	:: !aborted[me] && (gone[peer] || !looked) -> looked = true; look_at(peer)
#ifndef GUARD
	:: !aborted[me] && gone[0] -> look_at(0)
	:: !aborted[me] && gone[RANKS - 1] -> look_at(RANKS - 1)
#endif
#endif
	od
}

proctype rank(byte me)
{
	byte call = 0;
	bool looked;

	do
	:: call < CALLS ->
		may_die();
		ready[PREV] = call + 1;
		await(ready[me], call + 1, NEXT);
		low[NEXT] = VALUE(me, call);
		may_die();
		high[NEXT] = VALUE(me, call);
		data[NEXT] = call + 1;
		may_die();
		await(data[me], call + 1, PREV);
		assert(low[me] == VALUE(PREV, call) && high[me] == VALUE(PREV, call));
		finished[me] = call + 1;
		call++
	:: else -> break
	od;
	gone[me] = true; /* the communicator is freed */
	goto dead;
failed:
	assert(deaths > 0);
#ifndef GUARD
	gone[me] = true;
#endif
dead:
	returned++
}

init {
	byte r;
	atomic {
		for (r : 0 .. RANKS - 1) {
			run rank(r)
		}
	}
	returned == RANKS
}
