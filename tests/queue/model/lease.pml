/*
 * The protocol of leases: three workers, two messages of one key, a broker and a store. docs/lease-model.md says what
 * it shows.
 *
 * Whatever chance does may happen at any step: a worker dies, a lease ends under work, work fails, a call or its
 * answer is lost, and a call that was made arrives once more, later. Each may happen so many times, so that everything
 * can come to an end. -D gives other numbers, and plants the errors that must be found.
 */
#ifndef DEATHS
#define DEATHS 2
#endif
#ifndef LAPSES
#define LAPSES 2
#endif
#ifndef LOSSES
#define LOSSES 1
#endif
#ifndef FAILURES
#define FAILURES 1
#endif

#define WORKERS 3
#define MESSAGES 2
#define nothing 255

/* The broker: the lease that a message is under, 0 is none; and the latest of all. */
byte lease[MESSAGES];
byte latest = 0;
bool gone[MESSAGES];

/* The store: how many rows a message has. */
byte rows[MESSAGES];

/* What has no worker any more, which only time ends. */
bool isOrphan[MESSAGES];

/* A call that arrives once more: of which message, under which lease, and whether it acknowledges. */
byte lateMessage = nothing;
byte lateLease = 0;
bool isLateEnd = false;

byte deaths = 0, lapses = 0, losses = 0, failures = 0;

#define isOver (gone[0] && gone[1])
#ifdef NO_ORDER
#define isFree(m) (!gone[m] && lease[m] == 0)
#else
#define isFree(m) (!gone[m] && lease[m] == 0 && (m == 0 || gone[0]))
#endif
#ifdef NO_LEASE_CHECK
#define isHeld(m, own) (!gone[m])
#else
#define isHeld(m, own) (!gone[m] && lease[m] == own)
#endif

inline take(m) {
  latest++; lease[m] = latest; own = latest; message = m; isOrphan[m] = false
}

/* The broker's answer to an end of the work. A lease that has ended is no error, and changes nothing. */
inline settle(m, own, isEnd) {
  if
  :: isHeld(m, own) ->
     /* Nothing but time ends a lease of another worker. */
     assert(lease[m] == own || lease[m] == 0);
     lease[m] = 0;
     if
     :: isEnd -> assert(rows[m] == 1); gone[m] = true
     :: else -> skip
     fi
  :: else -> skip
  fi
}

/* One row for each key. */
inline save(m) {
#ifdef NO_KEY
  rows[m]++;
#else
  rows[m] = 1;
#endif
  assert(rows[m] == 1);
  assert(m == 0 || rows[0] == 1)
}

/* A call: it is made, or not, and its answer comes, or not; one that seems to have failed is made again. */
inline call(m, own, isEnd) {
  do
  :: atomic { losses < LOSSES -> losses++ }
  :: atomic { losses < LOSSES -> losses++; settle(m, own, isEnd) }
  :: atomic { settle(m, own, isEnd) }; break
  :: atomic {
       lateMessage == nothing && lateLease == 0 ->
       settle(m, own, isEnd);
       lateMessage = m; lateLease = own; isLateEnd = isEnd
     };
     break
  od
}

inline die() {
  deaths++;
  if
  :: lease[message] == own -> isOrphan[message] = true
  :: else -> skip
  fi
}

active [WORKERS] proctype Worker() {
  byte message = 0;
  byte own = 0;
idle:
  if
  :: atomic { isOver -> goto done }
  :: atomic { isFree(0) -> take(0) }
  :: atomic { isFree(1) -> take(1) }
  :: atomic { isFree(0) && losses < LOSSES -> losses++; take(0); isOrphan[0] = true; goto idle }
  :: atomic { isFree(1) && losses < LOSSES -> losses++; take(1); isOrphan[1] = true; goto idle }
  fi;
#ifdef EARLY_ACKNOWLEDGE
  call(message, own, true);
#endif
  do
  :: atomic { deaths < DEATHS -> die(); goto done }
  :: atomic { failures < FAILURES -> failures++ }; call(message, own, false); goto idle
  :: atomic { losses < LOSSES -> losses++; save(message) }
  :: atomic { save(message) }; break
  od;
  if
  :: atomic { deaths < DEATHS -> die(); goto done }
  :: call(message, own, true); goto idle
  fi;
done:
  skip
}

/* Leases end, those of the dead always. */
active proctype Time() {
  do
#ifndef NO_TIME
  :: atomic { lease[0] != 0 && isOrphan[0] -> lease[0] = 0 }
  :: atomic { lease[1] != 0 && isOrphan[1] -> lease[1] = 0 }
#endif
  :: atomic { lease[0] != 0 && !isOrphan[0] && lapses < LAPSES -> lapses++; lease[0] = 0 }
  :: atomic { lease[1] != 0 && !isOrphan[1] && lapses < LAPSES -> lapses++; lease[1] = 0 }
  :: isOver -> break
  od
}

/* The call that arrives once more, at any time. */
active proctype Network() {
end:
  atomic {
    lateMessage != nothing ->
    settle(lateMessage, lateLease, isLateEnd);
    lateMessage = nothing
  }
}
