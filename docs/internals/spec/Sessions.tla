------------------------------ MODULE Sessions ------------------------------
(***************************************************************************)
(* One election, and the sessions of the processes that take part in it. A *)
(* lease names the session that holds it. A session is renewed by its      *)
(* process, and ended by others when they have seen it silent for its time *)
(* to live. Its id is never used again. The names of the rules are those   *)
(* of docs/internals/protocol.md.                                          *)
(*                                                                         *)
(* There is no common time. Each process counts ticks of its own clock:    *)
(* down to its deadline, and up from when it first saw something. No       *)
(* process ever learns what another's clock shows.                         *)
(*                                                                         *)
(* The revisions of sessions have no numbers here: it only matters whether *)
(* there has been another since. A tombstone has one that no session has.  *)
(* Reads take no time: a process that reads later waits longer, and one    *)
(* that acts on an outdated state matches nothing. Only two stale reads    *)
(* matter: one that shows no session, so a tombstone may be inserted at    *)
(* any time; and one that shows a session that has ended, which stays so.  *)
(***************************************************************************)
EXTENDS Integers, Sequences

CONSTANTS
    None,           \* no holder, no call, no session
    Candidates,     \* the processes that take part: {1, 2}
    FirstTtl,       \* the time to live of process 1, in ticks
    OtherTtl,       \* the time to live of the others
    Margin,         \* the safety margin: a leader stops this long before its time to live is over
    Drift,          \* by how many ticks two clocks may differ
    MaxRevision,    \* bound: how often the lease changes
    MaxSession,     \* bound: how many sessions process 1 has
    OtherMaxSession, \* bound: how many the others have
    Removable,      \* bound: what is removed: "lease" (once), "session" (of process 1, once before its end), "nothing"
    MayResign,      \* bound: whether leaders resign, gated work runs, and leases are given back
    MayCrash,       \* bound: whether one process may crash, and start again
    Prompt,         \* whether all calls are answered, and all processes act, in time
    Flaw            \* the rule that is broken, or "none"

VARIABLES
    lease,          \* the stored lease
    sessions,       \* the stored sessions, by id
    ended,          \* the sessions that have ever ended: other processes may have seen that
    requests,       \* the changes that were sent and may still be made
    process,        \* the state of each process
    ahead,          \* by how many ticks each clock is ahead of the slowest
    removed,        \* whether the lease, or a session before its end, was removed
    granted,        \* the terms granted, in order (for I2)
    leaderless      \* for how long nobody has led since the last change of the lease, removal or crash (for I4)

vars == <<lease, sessions, ended, requests, process, ahead, removed, granted, leaderless>>

stored == <<lease, sessions, ended, removed, granted>>

Max(a, b) == IF a > b THEN a ELSE b

Min(a, b) == IF a < b THEN a ELSE b

Ids == Candidates \X (1..Max(MaxSession, OtherMaxSession))

SessionsOf(c) == IF c = 1 THEN MaxSession ELSE OtherMaxSession

(* The holder of a lease that was removed. Its other fields stay: they are what processes still know of it. *)
Gone == <<0, 0>>

Ttl(c) == IF c = 1 THEN FirstTtl ELSE OtherTtl

(* How long a session is held after a renewal was sent. *)
HeldFor(c) == Ttl(c) - (IF Flaw = "MarginTooSmall" THEN Margin - 1 ELSE Margin)

Other(c) == CHOOSE d \in Candidates : d # c

-----------------------------------------------------------------------------
(* The initial state. *)

(* A process that has just started. Before that, this many session ids were used. *)
Started(used) == [
    up       |-> TRUE,
    session  |-> 0,         \* the number of its session, 0 while it has none
    former   |-> used,      \* how many session ids were used before this process was started
    used     |-> used,      \* how many have been used by now, including inserts in doubt
    deadline |-> 0,         \* S2: for how many more ticks its session is held
    renewal  |-> None,      \* ticks since it first sent the insert, or the revision, that is not proven yet
    take     |-> None,      \* the taking that awaits an answer
    watched  |-> 0,         \* S3: for how many ticks the session that it watches has not changed
    behind   |-> FALSE,     \* whether it misses changes of that session (only if a rule is broken)
    phase    |-> "NONE",    \* of its own term: LEADING, DRAINING, RELEASING, ENDED
    term     |-> 0,
    proof    |-> 0,         \* S8: within how many ticks it must see its lease again
    keep     |-> 0,         \* S9: for how many ticks nobody else may lead, unless its work ends earlier
    work     |-> 0,         \* the term of the gated call in flight, or 0
    renewed  |-> FALSE ]    \* whether it has renewed its session in this tick

Init ==
    /\ lease = [holder |-> None, term |-> 0, revision |-> 0, ttl |-> FirstTtl]
    /\ sessions = [id \in Ids |-> IF id[2] = 1 THEN "ALIVE" ELSE None]
    /\ ended = {}
    /\ requests = {}
    /\ process = [c \in Candidates |-> [Started(0) EXCEPT !.session = 1, !.used = 1]]
    /\ ahead = [c \in Candidates |-> 0]
    /\ removed = FALSE
    /\ granted = <<>>
    /\ leaderless = 0

Id(c) == <<c, process[c].session>>

IsOwn(c) == lease.holder \notin {None, Gone} /\ lease.holder[1] = c /\ lease.holder[2] > process[c].former

IsOthers(c) == lease.holder \notin {None, Gone} /\ ~IsOwn(c)

(* S2: Leadership.isHeld() compares clocks and does no I/O. *)
Believes(c) ==
    /\ process[c].phase \in {"LEADING", "DRAINING"}
    /\ process[c].deadline > 0
    /\ process[c].proof > 0

-----------------------------------------------------------------------------
(* The store. A request may arrive late, twice or never, so it stays among *)
(* the requests until it can't match any more. (Only an insert is never    *)
(* carried out twice: a store that retries a write must recognize that it  *)
(* is the same write.)                                                     *)

IsOfLease(r) == r.kind \in {"TAKE", "RELEASE", "CREATE"}

(* R1: each change names what it replaces. *)
Matches(r, theLease, theSessions) ==
    CASE r.kind = "TAKE" ->
            \/ r.expected = theLease
            \/ Flaw = "TakeIgnoresRevision" /\ theLease.holder # Gone
      [] r.kind = "RELEASE" ->
            \/ r.expected = theLease
            \/ Flaw = "ReleaseIgnoresRevision" /\ theLease.holder \notin {None, Gone} /\ theLease.holder[1] = r.from
      [] r.kind = "CREATE" -> theLease.holder = Gone
      [] r.kind = "BURY" -> theSessions[r.of] = None
      [] r.kind = "END" -> theSessions[r.of] = r.expected

(* This session may still be removed: by hand or, once it has ended, by cleaning up (S7). *)
MayVanish(id) == Removable = "session" /\ id[1] = 1 /\ (~removed \/ id \in ended)

MayStillMatch(r, theLease, theSessions) ==
    \/ Matches(r, theLease, theSessions)
    \/ r.kind = "BURY" /\ MayVanish(r.of)
    \/ r.kind = "TAKE" /\ Flaw = "TakeIgnoresRevision"
    \/ r.kind = "RELEASE" /\ Flaw = "ReleaseIgnoresRevision"

ChangedLease(r) ==
    CASE r.kind = "TAKE" ->
            [holder |-> r.holder, term |-> r.term, revision |-> lease.revision + 1, ttl |-> Ttl(r.holder[1])]
      [] r.kind \in {"RELEASE", "CREATE"} -> [lease EXCEPT !.holder = None, !.revision = @ + 1]

(* S3: when the holder changes, watching starts again. *)
WithNewLease(p, new) ==
    IF new.holder = lease.holder THEN p ELSE [p EXCEPT !.watched = 0, !.behind = FALSE]

Acknowledges(r, c) ==
    /\ r.kind = "TAKE"
    /\ r.from = c
    /\ process[c].take # None
    /\ process[c].take.session = r.holder[2]
    /\ process[c].take.term = r.term

ApplyToLease(r) ==
    LET new == ChangedLease(r) IN
    /\ lease.revision < MaxRevision
    /\ lease' = new
    /\ requests' = {s \in requests : MayStillMatch(s, new, sessions)}
    /\ process' = [c \in Candidates |->
            IF Acknowledges(r, c)
            THEN [WithNewLease(process[c], new) EXCEPT !.take.made = TRUE]
            ELSE WithNewLease(process[c], new)]
    /\ granted' = IF r.kind = "TAKE" THEN Append(granted, r.term) ELSE granted
    /\ leaderless' = 0
    /\ UNCHANGED <<sessions, ended, removed>>

(* S3: when the watched session changes, watching starts again, unless a broken rule misses or ignores the change. *)
WithNewSession(c, id) ==
    LET p == process[c] IN
    CASE lease.holder # id -> p
      [] p.behind \/ Flaw \in {"TakesWithoutEnding", "EndsByIdAlone"} -> p
      [] OTHER -> [p EXCEPT !.watched = 0]

(* S4: a request to end a session is void once the session has changed. *)
IsVoid(s, id) == s.kind = "END" /\ s.of = id /\ Flaw # "EndsByIdAlone"

SessionChanges(id, state, requested) ==
    LET new == [sessions EXCEPT ![id] = state] IN
    /\ sessions' = new
    /\ ended' = IF state = "ENDED" THEN ended \union {id} ELSE ended
    /\ requests' = {s \in requested : ~IsVoid(s, id) /\ MayStillMatch(s, lease, new)}

ApplyToSession(r) ==
    /\ SessionChanges(r.of,
            CASE r.kind = "BURY" -> "TOMBSTONE" [] r.kind = "END" -> "ENDED",
            requests \ {r})
    /\ process' = [c \in Candidates |-> WithNewSession(c, r.of)]
    /\ UNCHANGED <<lease, removed, granted, leaderless>>

(* A change is made, whether or not its sender still waits for the answer. *)
Apply == \E r \in requests :
    /\ Matches(r, lease, sessions)
    /\ IF IsOfLease(r) THEN ApplyToLease(r) ELSE ApplyToSession(r)
    /\ UNCHANGED ahead

(* A session is removed, by hand or by mistake. S7: sessions that have ended are removed at some time. *)
RemoveSession == \E id \in Ids :
    /\ MayVanish(id)
    /\ sessions[id] # None
    /\ removed' = (removed \/ id \notin ended)
    /\ SessionChanges(id, None, requests)
    /\ process' = [c \in Candidates |-> WithNewSession(c, id)]
    /\ leaderless' = 0
    /\ UNCHANGED <<lease, ahead, granted>>

RemoveLease ==
    /\ Removable = "lease" /\ ~removed
    /\ removed' = TRUE
    /\ lease.holder # None
    /\ lease.revision < MaxRevision
    /\ lease' = [lease EXCEPT !.holder = Gone, !.revision = @ + 1]
    /\ requests' = {s \in requests : Matches(s, lease', sessions)}
    /\ process' = [c \in Candidates |-> WithNewLease(process[c], lease')]
    /\ UNCHANGED <<sessions, ended, ahead, granted, leaderless>>

-----------------------------------------------------------------------------
(* What a process does. *)

Becomes(c, p) ==
    /\ process' = [process EXCEPT ![c] = p]
    /\ UNCHANGED <<stored, requests, ahead, leaderless>>

Sends(c, r, p) ==
    /\ process' = [process EXCEPT ![c] = p]
    /\ requests' = IF MayStillMatch(r, lease, sessions) THEN requests \union {r} ELSE requests
    /\ UNCHANGED <<stored, ahead, leaderless>>

WithoutTerm(p) == [p EXCEPT !.phase = "NONE", !.term = 0, !.proof = 0, !.keep = 0]

HasTerm(p) == p.phase \in {"LEADING", "DRAINING", "RELEASING"}

(* The term is over, for whatever reason. Work may go on. *)
Ended(p, keep) ==
    IF HasTerm(p) THEN [p EXCEPT !.phase = "ENDED", !.proof = 0, !.keep = IF Drift = 0 THEN keep ELSE 0] ELSE p

(* S1: the session is over, and with it the term. *)
Left(p, keep) == [Ended(p, keep) EXCEPT !.session = 0, !.deadline = 0, !.renewal = None]

-----------------------------------------------------------------------------
(* S1: a process's own session. *)

(* An insert or a renewal arrives as soon as it is sent. If it arrived late, others would wait longer, and its sender's *)
(* deadline would be no later; if it never arrived, it might as well not have been sent.                                *)
Stores(c, id, p) ==
    /\ SessionChanges(id, "ALIVE", requests)
    /\ process' = [d \in Candidates |-> IF d = c THEN p ELSE WithNewSession(d, id)]
    /\ UNCHANGED <<lease, ahead, removed, granted, leaderless>>

(* S1: a new session has a new id. *)
Insert(c) ==
    LET p == process[c]
        number == IF Flaw = "IdIsUsedAgain" /\ c = 1 THEN 1 ELSE p.used + 1
    IN
    /\ p.up /\ p.session = 0 /\ p.renewal = None
    /\ number <= SessionsOf(c)
    /\ sessions[<<c, number>>] = None
    /\ Stores(c, <<c, number>>, [p EXCEPT !.used = number, !.renewal = 0])

InsertAnswered(c) ==
    LET p == [process[c] EXCEPT !.renewal = None] IN
    /\ p.session = 0 /\ process[c].renewal # None
    /\ Becomes(c, IF process[c].renewal < HeldFor(c)
                  THEN [p EXCEPT !.session = p.used, !.renewed = Prompt, !.deadline = HeldFor(c) - process[c].renewal]
                  ELSE p)

(* S1: a session whose insert is in doubt is not used. *)
GiveUpInsert(c) ==
    /\ ~Prompt
    /\ process[c].session = 0 /\ process[c].renewal # None
    /\ Becomes(c, [process[c] EXCEPT !.renewal = None])

(* S1: a process replaces the revision that it knows. *)
Renew(c) ==
    LET p == process[c] IN
    /\ p.up /\ p.session # 0 /\ p.renewal = None
    /\ sessions[Id(c)] = "ALIVE"
    /\ Prompt => ~p.renewed
    /\ Stores(c, Id(c), [p EXCEPT !.renewal = 0])

(* R5: without an answer, the same revision is sent again. Others may have seen it long ago. *)
Resend(c) ==
    /\ ~Prompt
    /\ process[c].session # 0 /\ process[c].renewal # None
    /\ Becomes(c, [process[c] EXCEPT !.renewal = IF Flaw = "DeadlineFromResend" THEN 0 ELSE @])

(* S2: the deadline counts from before this revision was first sent. *)
NewDeadline(c) == HeldFor(c) - (IF Flaw = "DeadlineFromReply" THEN 0 ELSE process[c].renewal)

(* S1: a renewal is proven by an answer, or by a read that shows it, even an outdated one. *)
RenewAnswered(c) ==
    LET p == [process[c] EXCEPT !.renewal = None, !.renewed = Prompt, !.deadline = Max(@, NewDeadline(c))] IN
    /\ process[c].session # 0 /\ process[c].renewal # None
    /\ Becomes(c, IF Flaw = "RevivedByLateRenewal" /\ p.phase = "ENDED" /\ p.deadline > 0
                  THEN [p EXCEPT !.phase = "LEADING", !.proof = HeldFor(c)] ELSE p)

(* S1: a read shows that the session has ended, is missing, or was replaced by a tombstone. *)
RenewRefused(c) ==
    LET p == process[c] IN
    /\ p.up /\ p.session # 0
    /\ sessions[Id(c)] # "ALIVE"
    /\ Becomes(c, IF Flaw = "TermOutlivesSession" THEN [p EXCEPT !.session = 0, !.renewal = None] ELSE Left(p, 0))

-----------------------------------------------------------------------------
(* S3, S4: followers watch, and end silent sessions. *)

(* An end is final, so it counts even if it was seen earlier and the session has been removed since. *)
HasEnded(c) == IsOthers(c) /\ lease.holder \in ended

(* S6: a session that is missing is not watched. *)
IsWatching(c) == lease.holder = Gone \/ (IsOthers(c) /\ sessions[lease.holder] \notin {None, "ENDED"})

(* S4, R11: the time to live of the session, or of the vanished lease, counts, not the watcher's. *)
Patience(c) ==
    CASE Flaw = "WatchesOwnTtl" -> Ttl(c)
      [] Flaw = "GoneIsFree" /\ lease.holder = Gone -> 0
      [] lease.holder = Gone -> lease.ttl
      [] OTHER -> Ttl(lease.holder[1])

HasWaited(c) == IsWatching(c) /\ process[c].watched >= Patience(c)

(* A read may be stale, and show no session although there is one. *)
MayBury(c) ==
    /\ process[c].up /\ process[c].phase = "NONE"
    /\ IsOthers(c) /\ ~HasEnded(c)
    /\ Prompt => sessions[lease.holder] = None
    /\ Flaw # "MissingIsLeft"

(* S6: a tombstone is inserted in place of a missing session. It can be watched. *)
Bury(c) ==
    LET r == [kind |-> "BURY", from |-> c, of |-> lease.holder] IN
    /\ MayBury(c)
    /\ MayStillMatch(r, lease, sessions)
    /\ r \notin requests
    /\ Sends(c, r, IF Flaw = "BuriedFromSent" THEN [process[c] EXCEPT !.watched = 0, !.behind = TRUE] ELSE process[c])

MayEnd(c) ==
    /\ process[c].up /\ process[c].phase = "NONE"
    /\ IsOthers(c) /\ HasWaited(c)
    /\ Flaw \notin {"TakesWithoutEnding", "WaitsForRelease"}

(* S9: the process holds the lease but does not lead, and any time that its work had to stop is over. *)
IsDone(c) ==
    /\ process[c].up /\ process[c].take = None
    /\ IsOwn(c)
    /\ process[c].phase = "NONE" \/ (process[c].phase = "ENDED" /\ (process[c].keep = 0 \/ Flaw = "MarginNotKept"))

(* S1: a process may end a session of its own that it has left. *)
MayEndOwn(c) == IsDone(c) /\ lease.holder # Id(c) /\ sessions[lease.holder] \notin {None, "ENDED"}

(* S4: a session is ended by compare-and-set on the revision that was watched. *)
End(c) ==
    LET r == [kind |-> "END", from |-> c, of |-> lease.holder, expected |-> sessions[lease.holder]] IN
    /\ MayEnd(c) \/ MayEndOwn(c)
    /\ r \notin requests
    /\ Sends(c, r, process[c])

-----------------------------------------------------------------------------
(* S5: leases. *)

IsFree(c) ==
    \/ lease.holder = None
    \/ IsOwn(c)
    \/ HasEnded(c)
    \/ Flaw = "TakesWithoutEnding" /\ IsOthers(c) /\ HasWaited(c)
    \/ Flaw = "MissingIsFree" /\ IsOthers(c) /\ sessions[lease.holder] = None

MayTake(c) ==
    /\ process[c].up /\ process[c].phase = "NONE"
    /\ process[c].session # 0
    /\ process[c].take = None
    /\ IsFree(c)

(* R2: each taking has a new term. *)
NextTerm(seen) == IF Flaw = "TermNotRaised" THEN Max(1, seen.term) ELSE seen.term + 1

Take(c) ==
    LET p == process[c]
        term == NextTerm(lease)
    IN
    /\ MayTake(c)
    /\ Sends(c, [kind |-> "TAKE", from |-> c, expected |-> lease, holder |-> Id(c), term |-> term],
             [p EXCEPT !.take = [session |-> p.session, term |-> term, ago |-> 0, made |-> FALSE]])

(* S8: a taking counts as a read of the lease, from when it was sent. *)
NewProof(c) == HeldFor(c) - (IF Flaw = "ProofFromReply" THEN 0 ELSE process[c].take.ago)

(* R5, S2: only the answer to this very call makes a leader, and only while the session that it named is held. *)
TakeAnswered(c) ==
    LET p == [process[c] EXCEPT !.take = None]
        take == process[c].take
    IN
    /\ take # None
    /\ take.made
    /\ Becomes(c, IF /\ take.session = p.session \/ Flaw = "LeadsUnderAnotherSession"
                     /\ p.deadline > 0 /\ NewProof(c) > 0
                  THEN [p EXCEPT !.phase = "LEADING", !.term = take.term, !.proof = NewProof(c)]
                  ELSE p)

TakeRefused(c) ==
    LET take == process[c].take IN
    /\ take # None
    /\ ~take.made
    /\ \A r \in requests : ~(Acknowledges(r, c) /\ Matches(r, lease, sessions))
    /\ Becomes(c, [process[c] EXCEPT !.take = None])

(* R5: the outcome is unknown, and the request may still be on its way. A process that reads itself as the holder does  *)
(* not lead by that.                                                                                                    *)
GiveUpTake(c) ==
    LET p == [process[c] EXCEPT !.take = None] IN
    /\ ~Prompt
    /\ process[c].take # None
    /\ Becomes(c, IF Flaw = "LeadsByReading" /\ lease.holder = Id(c) /\ p.deadline > 0
                  THEN [p EXCEPT !.phase = "LEADING", !.term = lease.term, !.proof = HeldFor(c)]
                  ELSE p)

(* S8, R11: a leader reads its own lease. Its term ends if the lease is lost, or was not read in time (AtDeadline). *)
Check(c) ==
    LET p == process[c] IN
    /\ Removable = "lease"
    /\ p.phase \in {"LEADING", "DRAINING"}
    /\ Becomes(c, IF IsOwn(c) /\ lease.term = p.term THEN [p EXCEPT !.proof = HeldFor(c)] ELSE Ended(p, 0))

(* R11: a lease that vanished is not vacant. It is created again only after its time to live. *)
Create(c) ==
    /\ process[c].up /\ process[c].phase = "NONE"
    /\ lease.holder = Gone
    /\ HasWaited(c)
    /\ Sends(c, [kind |-> "CREATE", from |-> c], process[c])

ReleaseOf(c) == [kind |-> "RELEASE", from |-> c, expected |-> lease]

MayGiveBack(c) ==
    /\ MayResign
    /\ \/ IsDone(c) /\ process[c].phase = "ENDED"
       \/ process[c].up /\ process[c].take = None /\ process[c].phase = "NONE" /\ ~Prompt /\ IsFree(c)
    /\ Flaw # "KeepsLease"

(* S9: a process gives back a lease that it holds but does not lead, or that a taking in doubt may yet take. *)
GiveBack(c) ==
    /\ MayGiveBack(c)
    /\ ReleaseOf(c) \notin requests
    /\ Sends(c, ReleaseOf(c), process[c])

(* R9: the release comes last, and only if the lease is still held under this term. *)
Release(c) ==
    /\ process[c].phase = "RELEASING"
    /\ IF IsOwn(c) /\ lease.term = process[c].term
       THEN Sends(c, ReleaseOf(c), WithoutTerm(process[c]))
       ELSE Becomes(c, WithoutTerm(process[c]))

-----------------------------------------------------------------------------
(* What happens inside a process. *)

(* The gate lets a call in. *)
BeginWork(c) ==
    /\ MayResign
    /\ process[c].phase = "LEADING"
    /\ process[c].work = 0
    /\ Becomes(c, [process[c] EXCEPT !.work = process[c].term])

(* Work may take any time, and may outlast its term. *)
EndWork(c) ==
    /\ process[c].work # 0
    /\ Becomes(c, [process[c] EXCEPT !.work = 0])

(* R9: the leader closes the gate. *)
Resign(c) ==
    /\ MayResign
    /\ process[c].phase = "LEADING"
    /\ Becomes(c, [process[c] EXCEPT !.phase = IF Flaw = "ReleasesBeforeDrain" THEN "RELEASING" ELSE "DRAINING"])

(* R9: the lease is released when the work has ended. *)
Settle(c) ==
    /\ process[c].phase = "DRAINING"
    /\ process[c].work = 0
    /\ Becomes(c, [process[c] EXCEPT !.phase = "RELEASING"])

IsStuck(c) == process[c].phase = "ENDED" /\ process[c].work # 0

AllIsWell == \A c \in Candidates : process[c].up /\ process[c].former = 0 /\ ~IsStuck(c)

(* R9: the work takes too long. The lease is not released now, but given back later (S9). *)
DrainTimeout(c) ==
    /\ process[c].phase = "DRAINING"
    /\ process[c].work # 0
    /\ Prompt => AllIsWell
    /\ Becomes(c, Ended(process[c], IF Prompt THEN Ttl(c) ELSE 0))

(* A process leaves a term that is over when its work has ended, not earlier. *)
Finish(c) ==
    /\ process[c].phase = "ENDED"
    /\ process[c].work = 0
    /\ Becomes(c, WithoutTerm(process[c]))

(* Requests that it has sent may still arrive. *)
Crash(c) ==
    /\ MayCrash
    /\ AllIsWell
    /\ process' = [process EXCEPT ![c] = [Started(process[c].used) EXCEPT !.up = FALSE]]
    /\ leaderless' = 0
    /\ UNCHANGED <<stored, requests, ahead>>

(* It has a new candidate id, and does not recognize the lease as its own. *)
Restart(c) ==
    /\ ~process[c].up
    /\ Becomes(c, Started(process[c].used))

-----------------------------------------------------------------------------
(* Time. While a process is stopped, its clock goes on.                    *)

(* If processes act in time, no time passes while one of them has something to do. *)
IsDue(c) ==
    LET p == process[c] IN
    /\ p.up
    /\ \/ p.renewal # None \/ p.take # None
       \/ p.session = 0 \/ ~p.renewed
       \/ \E r \in requests : r.from = c
       \/ MayTake(c) \/ MayBury(c) \/ MayEnd(c)
       \/ p.phase = "ENDED" /\ p.work = 0
       \/ p.phase = "ENDED" /\ MayGiveBack(c)
       \/ p.phase = "DRAINING" /\ p.work = 0
       \/ p.phase = "RELEASING"

(* S1, S2, S8: at its deadline a session is over, and its term with it, even if the process does nothing. So is a term  *)
(* whose lease was not read in time.                                                                                    *)
AtDeadline(p) ==
    CASE p.session # 0 /\ p.deadline = 0 ->
            IF Flaw = "RevivedByLateRenewal" THEN Ended(p, Margin) ELSE Left(p, Margin)
      [] HasTerm(p) /\ p.proof = 0 -> Ended(p, Margin)
      [] OTHER -> p

(* A tick passes on the clock of the process. Counters stop at their limits. *)
Later(c) ==
    LET p == process[c] IN
    AtDeadline([p EXCEPT
        !.deadline = Max(0, @ - 1),
        !.proof = IF Removable = "lease" /\ Flaw # "LeadsUnchecked" THEN Max(0, @ - 1) ELSE @,
        !.keep = Max(0, @ - 1),
        !.watched = IF IsWatching(c) THEN Min(Patience(c), @ + 1) ELSE 0,
        !.renewal = IF @ = None THEN None ELSE Min(HeldFor(c), @ + 1),
        !.take = IF @ = None \/ Removable # "lease" THEN @ ELSE [@ EXCEPT !.ago = Min(HeldFor(c), @ + 1)],
        !.renewed = FALSE])

LongestWait == Max(FirstTtl, OtherTtl) + 2

NobodyLeads == \A c \in Candidates : ~Believes(c)

(* Some or all clocks move by a tick, within the bound on their difference. *)
Tick(ticking) ==
    LET moved == [c \in Candidates |-> IF c \in ticking THEN ahead[c] + 1 ELSE ahead[c]]
        round == IF \A c \in Candidates : moved[c] > 0 THEN 1 ELSE 0
    IN
    /\ \A c \in Candidates : moved[c] - round <= Drift
    /\ Prompt => \A c \in Candidates : ~IsDue(c)
    /\ ahead' = [c \in Candidates |-> moved[c] - round]
    /\ process' = [c \in Candidates |-> IF c \in ticking THEN Later(c) ELSE process[c]]
    /\ leaderless' = IF Prompt /\ NobodyLeads THEN Min(LongestWait, leaderless + round) ELSE 0
    /\ UNCHANGED <<stored, requests>>

-----------------------------------------------------------------------------

Next ==
    \/ \E ticking \in SUBSET Candidates \ {{}} : Tick(ticking)
    \/ Apply
    \/ RemoveSession \/ RemoveLease
    \/ \E c \in Candidates :
          \/ Insert(c) \/ InsertAnswered(c) \/ GiveUpInsert(c)
          \/ Renew(c) \/ Resend(c) \/ RenewAnswered(c) \/ RenewRefused(c)
          \/ Bury(c) \/ End(c)
          \/ Take(c) \/ TakeAnswered(c) \/ TakeRefused(c) \/ GiveUpTake(c)
          \/ Check(c) \/ Create(c) \/ GiveBack(c) \/ Release(c)
          \/ BeginWork(c) \/ EndWork(c)
          \/ Resign(c) \/ Settle(c) \/ DrainTimeout(c) \/ Finish(c)
          \/ Crash(c) \/ Restart(c)

Spec == Init /\ [][Next]_vars

(* As long as a step is possible, one is eventually taken. *)
FairSpec == Spec /\ WF_vars(Next)

-----------------------------------------------------------------------------
(* What must hold. *)

(* Two processes never believe at the same time that they lead. *)
I1 == \A c, d \in Candidates : Believes(c) /\ Believes(d) => c = d

(* The terms granted strictly increase. *)
I2 == \A i, j \in DOMAIN granted : i < j => granted[i] < granted[j]

(* Gated work of two processes is in flight at once only if one of them has lost its term, never after a handover. *)
I5 == \A c, d \in Candidates :
          c # d /\ process[c].work # 0 /\ process[d].work # 0
              => "ENDED" \in {process[c].phase, process[d].phase}

(* S9: after a term was lost, nobody else leads until the margin is over, unless the work has ended. *)
MarginIsKept == \A c, d \in Candidates : c # d /\ process[c].keep > 0 => ~Believes(d)

(* S2: a term that is over is never revived. *)
OverIsOver ==
    [][\A c \in Candidates : process[c].phase = "ENDED" => ~Believes(c)']_vars

(* If calls are answered, an election is without a leader for no longer than this. *)
I4 == Prompt => leaderless <= 1 + (IF lease.holder = None THEN 0 ELSE lease.ttl)

(* If calls are answered, a process eventually leads again, unless the bound of the model is reached first. *)
I4Eventually == NobodyLeads ~> (~NobodyLeads \/ lease.revision = MaxRevision)
=============================================================================
