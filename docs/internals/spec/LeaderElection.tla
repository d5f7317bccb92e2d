--------------------------- MODULE LeaderElection ---------------------------
(***************************************************************************)
(* One election, and the heartbeats of the processes that take part in it, *)
(* as the rules of docs/internals/protocol.md have them. README.md beside  *)
(* this file explains it without TLA+.                                     *)
(*                                                                         *)
(* There is no common time. Each process counts ticks of its own clock,    *)
(* down to its deadline and up from what it first saw. Nobody ever learns  *)
(* what another's clock says.                                              *)
(*                                                                         *)
(* Beats have no numbers here: all that matters is whether one has come    *)
(* since. Nor do looks take time: who looks later waits longer, and who    *)
(* acts on what has changed since matches nothing. So all that a process   *)
(* needs to know of others is for how long it may have seen them like that.*)
(***************************************************************************)
EXTENDS Integers, Sequences

CONSTANTS
    None,           \* no holder, no call, no heartbeat
    Candidates,     \* the processes that take part: {1, 2}
    FirstTtl,       \* the time to live that candidate 1 asks for, in ticks
    OtherTtl,       \* the time to live that the others ask for
    Margin,         \* how long before the end of its time to live a leader stops
    Drift,          \* by how many ticks two clocks may come to differ
    MaxRevision,    \* bound: how often the lease changes
    MaxEpoch,       \* bound: the greatest epoch of a heartbeat
    WatchesAll,     \* bound: whether heartbeats are watched and ended though nobody waits for the lease
    Removable,      \* bound: what somebody removes once: "lease", "heartbeat" (of candidate 1), "nothing"
    MayResign,      \* bound: whether leaders resign, there is gated work, and leases are given back
    MayCrash,       \* bound: whether one process may die, and start again
    Prompt,         \* whether every call is answered, and every process acts, in time
    Flaw            \* which rule is broken, or "none"

VARIABLES
    lease,          \* what is stored of the election,
    heartbeats,     \* and of the processes: the epoch of each heartbeat
    highest,        \* the greatest that it ever had: others may have seen it
    requests,       \* the changes that were sent and may yet be made
    candidate,      \* what each process knows
    ahead,          \* by how many ticks each clock is ahead of the slowest
    removed,        \* whether something was removed
    granted,        \* the terms granted, in order (to state I2)
    leaderless      \* for how long nobody leads, nobody dies, nothing is removed, and the lease is the same (for I4)

vars == <<lease, heartbeats, highest, requests, candidate, ahead, removed, granted, leaderless>>

stored == <<lease, heartbeats, highest, removed, granted>>

Max(a, b) == IF a > b THEN a ELSE b

Min(a, b) == IF a < b THEN a ELSE b

Ids == Candidates \X (IF MayCrash THEN {0, 1} ELSE {0})

(* The lease was removed. What others knew of it is what is left. *)
Gone == <<0, 0>>

Ttl(c) == IF c = 1 THEN FirstTtl ELSE OtherTtl

(* Where it is about a heartbeat that is removed, it is enough if the epochs of that one change. *)
LastEpoch(c) == IF Removable = "heartbeat" /\ ~Prompt /\ c # 1 THEN 1 ELSE MaxEpoch

(* Of use where its heartbeat may vanish only: elsewhere a process may well beat on under an epoch that nobody has ended. *)
Lapse(c, ticks) == IF Removable = "heartbeat" /\ c = 1 THEN ticks ELSE 0

(* For how long a process may believe after it sent a beat. *)
HeldFor(c) == Ttl(c) - (IF Flaw = "MarginTooSmall" THEN Margin - 1 ELSE Margin)

-----------------------------------------------------------------------------
(* What there is at first. *)

(* A process that has just started: it has a new id, and knows nothing. *)
Started(life) == [
    up       |-> TRUE,
    life     |-> life,      \* makes the id a new one at each start
    epoch    |-> 0,         \* under which it beats, or 0 while it does not know of any
    tried    |-> 0,         \* the greatest epoch that it ever had, or tried to have
    used     |-> 0,         \* the greatest that it had (of use to a broken rule only)
    lapse    |-> 0,         \* H1: in how many ticks it may beat no longer under this epoch
    deadline |-> 0,         \* H2: in how many ticks its belief is over
    beat     |-> None,      \* how many ticks ago it sent the beat whose answer is on its way
    take     |-> None,      \* the taking that awaits an answer
    watched  |-> 0,         \* H3: since how many ticks the heartbeat that it watches is as it is
    behind   |-> FALSE,     \* whether it has not seen what came since (of use to broken rules only)
    phase    |-> "NONE",    \* of its own term: LEADING, DRAINING, RELEASING, ENDED
    term     |-> 0,
    proof    |-> 0,         \* R13: in how many ticks it must have seen its lease again
    keep     |-> 0,         \* H9: in how many ticks it gives the lease back
    work     |-> 0,         \* the term of the gated call in flight, or 0
    beaten   |-> FALSE ]    \* whether it has beaten in this tick

(* Where heartbeats are removed, candidate 1 leads, and has just lost its own: so it can lose a second one. *)
HasLostHeartbeat(c) == Removable = "heartbeat" /\ c = 1

(* Others have one: a late attempt to enter it would find it whenever it comes. *)
Init ==
    /\ lease = IF Removable = "heartbeat"
               THEN [holder |-> <<1, 0>>, epoch |-> 1, term |-> 1, revision |-> 1, ttl |-> FirstTtl]
               ELSE [holder |-> None, epoch |-> 0, term |-> 0, revision |-> 0, ttl |-> FirstTtl]
    /\ heartbeats = [id \in Ids |-> IF id[2] = 0 /\ ~HasLostHeartbeat(id[1]) THEN 1 ELSE None]
    /\ highest = [id \in Ids |-> IF id[2] = 0 THEN 1 ELSE 0]
    /\ requests = {}
    /\ candidate = [c \in Candidates |->
            LET p == [Started(0) EXCEPT !.epoch = 1, !.tried = 1, !.lapse = Lapse(c, HeldFor(c))] IN
            IF HasLostHeartbeat(c)
            THEN [p EXCEPT !.phase = "LEADING", !.term = 1, !.deadline = HeldFor(c), !.proof = HeldFor(c)]
            ELSE p]
    /\ ahead = [c \in Candidates |-> 0]
    /\ removed = FALSE
    /\ granted = IF Removable = "heartbeat" THEN <<1>> ELSE <<>>
    /\ leaderless = 0

Id(c) == <<c, candidate[c].life>>

Other(c) == CHOOSE d \in Candidates : d # c

IsOthers(c) == lease.holder \notin {None, Gone, Id(c)}

(* H3: the heartbeat that a process watches: of who holds the lease, or may hold another. A lease that is gone is *)
(* watched instead.                                                                                              *)
Watched(c) ==
    CASE IsOthers(c) -> lease.holder
      [] WatchesAll /\ lease.holder # Gone -> <<Other(c), 0>>
      [] OTHER -> None

(* H2: Leadership.isHeld() compares clocks, and asks nobody. *)
Believes(c) ==
    /\ candidate[c].phase \in {"LEADING", "DRAINING"}
    /\ candidate[c].deadline > 0
    /\ candidate[c].proof > 0

-----------------------------------------------------------------------------
(* The store. A request may arrive late, twice or never, so it stays among *)
(* the requests until it can't match any more. (Only a heartbeat, or a     *)
(* mark, is never entered twice by one request: a store that tries a write *)
(* again must know that it is the same.)                                   *)

IsOfLease(r) == r.kind \in {"TAKE", "RELEASE", "CREATE"}

(* R1, H1, H4: each change names what it replaces. *)
Matches(r, theLease, theHeartbeats) ==
    CASE r.kind = "TAKE" ->
            \/ r.expected = theLease
            \/ Flaw = "TakeIgnoresRevision" /\ theLease.holder # Gone
      [] r.kind = "RELEASE" ->
            \/ r.expected = theLease
            \/ Flaw = "ReleaseIgnoresRevision" /\ theLease.holder = r.from
      [] r.kind = "CREATE" -> theLease.holder = Gone
      [] r.kind = "ENTER" -> theHeartbeats[r.from] = None
      [] r.kind = "MARK" -> theHeartbeats[r.of] = None
      [] r.kind = "RAISE" -> theHeartbeats[r.from] = r.expected
      [] r.kind = "END" -> theHeartbeats[r.of] = r.expected

(* Somebody may yet remove this heartbeat. *)
MayVanish(id) == Removable = "heartbeat" /\ ~removed /\ id = <<1, 0>>

MayStillMatch(r, theLease, theHeartbeats) ==
    \/ Matches(r, theLease, theHeartbeats)
    \/ r.kind = "ENTER" /\ MayVanish(r.from)
    \/ r.kind = "MARK" /\ MayVanish(r.of)
    \/ r.kind = "TAKE" /\ Flaw = "TakeIgnoresRevision"
    \/ r.kind = "RELEASE" /\ Flaw = "ReleaseIgnoresRevision"

ChangedLease(r) ==
    CASE r.kind = "TAKE" ->
            [holder |-> r.from, epoch |-> r.epoch, term |-> r.term,
             revision |-> lease.revision + 1, ttl |-> Ttl(r.from[1])]
      [] r.kind \in {"RELEASE", "CREATE"} ->
            [lease EXCEPT !.holder = None, !.epoch = 0, !.revision = @ + 1]

(* H3: a heartbeat that was watched is the same whatever becomes of the lease, unless something else is watched now. *)
WithNewLease(p, new) ==
    IF new.holder = lease.holder \/ (WatchesAll /\ Gone \notin {lease.holder, new.holder})
    THEN p
    ELSE [p EXCEPT !.watched = 0, !.behind = FALSE]

Acknowledges(r, c) ==
    /\ r.kind = "TAKE"
    /\ r.from = Id(c)
    /\ candidate[c].take # None
    /\ candidate[c].take.epoch = r.epoch
    /\ candidate[c].take.term = r.term

ApplyToLease(r) ==
    LET new == ChangedLease(r) IN
    /\ lease.revision < MaxRevision
    /\ lease' = new
    /\ requests' = {s \in requests : MayStillMatch(s, new, heartbeats)}
    /\ candidate' = [c \in Candidates |->
            IF Acknowledges(r, c)
            THEN [WithNewLease(candidate[c], new) EXCEPT !.take.made = TRUE]
            ELSE WithNewLease(candidate[c], new)]
    /\ granted' = IF r.kind = "TAKE" THEN Append(granted, r.term) ELSE granted
    /\ leaderless' = 0
    /\ UNCHANGED <<heartbeats, highest, removed>>

(* H3: it looks different now. Who is behind has not seen that, and finds it as it was before, if it is. *)
WithNewHeartbeat(c, id, new) ==
    LET p == candidate[c] IN
    CASE Watched(c) # id -> p
      [] Flaw = "MissingIsEnded" -> p
      [] p.behind \/ (Flaw = "MarksAlike" /\ heartbeats[id] = 0) -> [p EXCEPT !.behind = new[id] # 0]
      [] OTHER -> [p EXCEPT !.watched = 0]

(* H4: what names the beat that was there before. *)
IsVoid(s, id) ==
    \/ s.kind = "END" /\ s.of = id /\ Flaw # "EndsByIdAlone"
    \/ s.kind = "RAISE" /\ s.from = id

HeartbeatChanges(id, epoch, requested) ==
    LET new == [heartbeats EXCEPT ![id] = epoch] IN
    /\ heartbeats' = new
    /\ highest' = IF epoch = None THEN highest ELSE [highest EXCEPT ![id] = Max(@, epoch)]
    /\ requests' = {s \in requested : ~IsVoid(s, id) /\ MayStillMatch(s, lease, new)}

ApplyToHeartbeat(r) ==
    LET id == IF r.kind \in {"END", "MARK"} THEN r.of ELSE r.from IN
    /\ HeartbeatChanges(id, r.epoch, requests \ {r})
    /\ candidate' = [c \in Candidates |-> WithNewHeartbeat(c, id, heartbeats')]
    /\ UNCHANGED <<lease, removed, granted, leaderless>>

(* A change is made, whether or not its sender still waits for the answer. *)
Apply == \E r \in requests :
    /\ Matches(r, lease, heartbeats)
    /\ IF IsOfLease(r) THEN ApplyToLease(r) ELSE ApplyToHeartbeat(r)
    /\ UNCHANGED ahead

(* Somebody removes a document, by hand or by mistake. *)
RemoveHeartbeat ==
    /\ MayVanish(<<1, 0>>)
    /\ removed' = TRUE
    /\ heartbeats[<<1, 0>>] # None
    /\ HeartbeatChanges(<<1, 0>>, None, requests)
    /\ candidate' = [c \in Candidates |-> WithNewHeartbeat(c, <<1, 0>>, heartbeats')]
    /\ leaderless' = 0
    /\ UNCHANGED <<lease, ahead, granted>>

RemoveLease ==
    /\ Removable = "lease" /\ ~removed
    /\ removed' = TRUE
    /\ lease.holder # None
    /\ lease.revision < MaxRevision
    /\ lease' = [lease EXCEPT !.holder = Gone, !.revision = @ + 1]
    /\ requests' = {s \in requests : Matches(s, lease', heartbeats)}
    /\ candidate' = [c \in Candidates |-> WithNewLease(candidate[c], lease')]
    /\ UNCHANGED <<heartbeats, highest, ahead, granted, leaderless>>

-----------------------------------------------------------------------------
(* What a process does. *)

Becomes(c, p) ==
    /\ candidate' = [candidate EXCEPT ![c] = p]
    /\ UNCHANGED <<stored, requests, ahead, leaderless>>

Sends(c, r, p) ==
    /\ candidate' = [candidate EXCEPT ![c] = p]
    /\ requests' = IF MayStillMatch(r, lease, heartbeats) THEN requests \union {r} ELSE requests
    /\ UNCHANGED <<stored, ahead, leaderless>>

WithoutTerm(p) == [p EXCEPT !.phase = "NONE", !.term = 0, !.proof = 0, !.keep = 0]

(* The term is over, for whatever reason. Work may go on. *)
Ended(p, keep) ==
    IF p.phase \in {"LEADING", "DRAINING", "RELEASING"}
    THEN [p EXCEPT !.phase = "ENDED", !.proof = 0, !.keep = IF Prompt THEN keep ELSE 0]
    ELSE p

-----------------------------------------------------------------------------
(* H1: its own heartbeat. *)

(* It goes on under an epoch for as long as it believes, and without belief for as long from when it tried to have it, *)
(* or found it. Then others may have ended that, and what is there only looks like it.                               *)
MayBeat(c) == candidate[c].lapse >= Lapse(c, 1) \/ Flaw = "BeatsOn"

(* The answer to a beat may be late or lost. The beat itself arrives as soon as it is sent: if it is late, others *)
(* wait for longer, and its sender believes for no longer. If it never arrives, it might as well not be sent.     *)
Beat(c) ==
    LET p == candidate[c] IN
    /\ p.up /\ p.epoch # 0 /\ p.beat = None
    /\ MayBeat(c)
    /\ heartbeats[Id(c)] = p.epoch \/ (Flaw = "BeatEnters" /\ heartbeats[Id(c)] = None)
    /\ Prompt => ~p.beaten
    /\ HeartbeatChanges(Id(c), p.epoch, requests)
    /\ candidate' = [d \in Candidates |->
            IF d = c THEN [p EXCEPT !.beat = 0] ELSE WithNewHeartbeat(d, Id(c), heartbeats')]
    /\ UNCHANGED <<lease, ahead, removed, granted, leaderless>>

(* H2: counted from before the beat was sent. *)
NewDeadline(c) == HeldFor(c) - (IF Flaw = "DeadlineFromReply" THEN 0 ELSE candidate[c].beat)

(* H2: this is belief for new terms. It revives none that is over. *)
BeatAnswered(c) ==
    LET p == [candidate[c] EXCEPT !.beat = None, !.beaten = Prompt,
                                  !.deadline = Max(@, NewDeadline(c)), !.lapse = Lapse(c, Max(@, NewDeadline(c)))]
    IN
    /\ candidate[c].beat # None
    /\ Becomes(c, IF Flaw = "RevivedByLateBeat" /\ p.phase = "ENDED"
                  THEN [p EXCEPT !.phase = "LEADING", !.proof = HeldFor(c)]
                  ELSE p)

(* Nothing matched: the epoch was ended, and with it every term. Or it may have been, and is not asked for. *)
BeatRefused(c) ==
    LET p == candidate[c] IN
    /\ p.up /\ p.epoch # 0 /\ p.beat = None
    /\ \/ heartbeats[Id(c)] # p.epoch /\ ~(Flaw = "BeatEnters" /\ heartbeats[Id(c)] = None)
       \/ ~MayBeat(c)
    /\ Becomes(c, [(IF Flaw = "TermOutlivesEpoch" THEN p ELSE Ended(p, 0)) EXCEPT
            !.epoch = 0, !.lapse = 0, !.deadline = IF Flaw = "TermOutlivesEpoch" THEN @ ELSE 0,
            !.used = IF Flaw = "GoesOnBelowAttempt" THEN p.epoch ELSE 0])

(* R7: the answer is lost. *)
GiveUpBeat(c) ==
    /\ ~Prompt
    /\ candidate[c].beat # None
    /\ Becomes(c, [candidate[c] EXCEPT !.beat = None])

(* Each attempt has an epoch of its own. *)
NextEpoch(p) == IF Flaw = "EntersSameEpoch" THEN Max(1, p.tried) ELSE p.tried + 1

(* It goes on under none that an attempt of its own, still on its way, may go beyond, nor under one that it has left. *)
MayGoOn(c, epoch) ==
    LET most == IF Flaw = "GoesOnBelowAttempt" THEN candidate[c].used ELSE candidate[c].tried IN
    epoch > most \/ (epoch = most /\ MayBeat(c))

(* What it tries is only known to have come to pass when it reads it. *)
FindHeartbeat(c) ==
    LET p == candidate[c]
        found == heartbeats[Id(c)]
        next == NextEpoch(p)
    IN
    /\ p.up /\ p.epoch = 0
    /\ Prompt => \A r \in requests : r.from # Id(c)
    /\ IF found # None /\ MayGoOn(c, found)
       THEN Becomes(c, [p EXCEPT !.epoch = found, !.tried = Max(@, found),
                                  !.lapse = IF found = p.tried THEN @ ELSE Lapse(c, HeldFor(c))])
       ELSE /\ next <= LastEpoch(c)
            /\ Sends(c, IF found = None
                        THEN [kind |-> "ENTER", from |-> Id(c), epoch |-> next]
                        ELSE [kind |-> "RAISE", from |-> Id(c), expected |-> found, epoch |-> next],
                     [p EXCEPT !.tried = next, !.lapse = Lapse(c, HeldFor(c))])

-----------------------------------------------------------------------------
(* H3: who follows watches. *)

(* For good: it may have been seen at any time. *)
IsOrphaned(c) == IsOthers(c) /\ highest[lease.holder] > lease.epoch

(* H5: one that is missing is not watched. *)
IsWatching(c) == lease.holder = Gone \/ (Watched(c) # None /\ heartbeats[Watched(c)] # None)

(* H4, H5, R13: the time to live is that of the holder, not the watcher's. *)
Patience(c) ==
    CASE Flaw = "WatchesOwnTtl" -> Ttl(c)
      [] Flaw = "GoneIsFree" /\ lease.holder = Gone -> 0
      [] lease.holder = Gone -> lease.ttl
      [] OTHER -> Ttl(Watched(c)[1])

HasWaited(c) == IsWatching(c) /\ candidate[c].watched >= Patience(c)

(* H5: of an epoch below that of any lease, and unlike any other. *)
MarkOf(c) == [kind |-> "MARK", from |-> Id(c), of |-> lease.holder,
              epoch |-> IF Flaw = "MarkedAsEnded" \/ Flaw = "MissingIsEnded" THEN lease.epoch + 1 ELSE 0]

(* Its look may be behind, and show none where there is one. *)
MayMark(c) ==
    /\ candidate[c].up /\ candidate[c].phase = "NONE"
    /\ IsOthers(c)
    /\ Prompt => heartbeats[lease.holder] = None /\ ~IsOrphaned(c)
    /\ Flaw = "MissingIsEnded" => HasWaited(c)
    /\ Flaw # "MissingIsLeft"

(* H5: where there is nothing it enters what can be watched. *)
Mark(c) ==
    LET p == candidate[c] IN
    /\ MayMark(c)
    /\ MayStillMatch(MarkOf(c), lease, heartbeats)
    /\ MarkOf(c) \notin requests
    /\ Sends(c, MarkOf(c), IF Flaw = "MarkFromSent" THEN [p EXCEPT !.watched = 0, !.behind = TRUE] ELSE p)

EndOf(c) == [kind |-> "END", from |-> Id(c), of |-> lease.holder,
             expected |-> heartbeats[lease.holder], epoch |-> lease.epoch + 1]

(* H4: whatever it has watched, a mark or an earlier epoch too, is raised above the epoch of the lease. *)
MayEnd(c) ==
    /\ candidate[c].up /\ candidate[c].phase = "NONE"
    /\ IsOthers(c) /\ HasWaited(c) /\ ~candidate[c].behind
    /\ heartbeats[lease.holder] <= lease.epoch
    /\ Flaw # "TakesWithoutEnding"
    /\ Flaw # "WaitsForRelease"
    /\ Flaw # "MissingIsEnded"

(* H4: by compare-and-set on the epoch and the beat. *)
End(c) ==
    /\ MayEnd(c)
    /\ EndOf(c).epoch <= LastEpoch(lease.holder[1])
    /\ EndOf(c) \notin requests
    /\ Sends(c, EndOf(c), candidate[c])

(* H7: whoever is silent is ended, be there a lease or not, but for what was ended already: its process has not *)
(* tried that epoch. So a mark may come to show the very epoch that the lease names.                          *)
MayCleanUp(c) ==
    /\ WatchesAll
    /\ Watched(c) # None /\ HasWaited(c) /\ ~candidate[c].behind
    /\ heartbeats[Watched(c)] <= candidate[Other(c)].tried \/ Flaw = "EndsWhatIsOver"
    /\ Flaw # "TakesWithoutEnding"
    /\ Flaw # "MissingIsEnded"

CleaningUp(c) == [kind |-> "END", from |-> Id(c), of |-> Watched(c),
                  expected |-> heartbeats[Watched(c)], epoch |-> heartbeats[Watched(c)] + 1]

CleanUp(c) ==
    /\ MayCleanUp(c)
    /\ CleaningUp(c).epoch <= LastEpoch(Other(c))
    /\ CleaningUp(c) \notin requests
    /\ Sends(c, CleaningUp(c), candidate[c])

-----------------------------------------------------------------------------
(* H5: leases. *)

IsFree(c) ==
    \/ lease.holder \in {None, Id(c)}
    \/ IsOrphaned(c)
    \/ Flaw = "TakesWithoutEnding" /\ IsOthers(c) /\ HasWaited(c)

MayTake(c) ==
    /\ candidate[c].up /\ candidate[c].phase = "NONE"
    /\ candidate[c].epoch # 0
    /\ candidate[c].take = None
    /\ IsFree(c)
    /\ candidate[c].deadline > 0

(* R3: each taking has a new term. *)
NextTerm(seen) == IF Flaw = "TermNotRaised" THEN Max(1, seen.term) ELSE seen.term + 1

Take(c) ==
    LET p == candidate[c]
        term == NextTerm(lease)
    IN
    /\ MayTake(c)
    /\ Sends(c, [kind |-> "TAKE", from |-> Id(c), expected |-> lease, epoch |-> p.epoch, term |-> term],
             [p EXCEPT !.take = [epoch |-> p.epoch, term |-> term, ago |-> 0, made |-> FALSE]])

Leads(p, term, proof) == [p EXCEPT !.phase = "LEADING", !.term = term, !.proof = proof]

(* R13: a taking shows the lease as it was when it was sent, or later. *)
NewProof(c) == HeldFor(c) - (IF Flaw = "ProofFromReply" THEN 0 ELSE candidate[c].take.ago)

(* R7, H2: only the answer to this very call makes a leader, if it comes in time and under the same epoch. *)
TakeAnswered(c) ==
    LET p == [candidate[c] EXCEPT !.take = None]
        take == candidate[c].take
    IN
    /\ take # None
    /\ take.made
    /\ Becomes(c, IF /\ take.epoch = p.epoch \/ Flaw = "LeadsUnderAnotherEpoch"
                     /\ p.deadline > 0
                     /\ NewProof(c) > 0
                  THEN Leads(p, take.term, NewProof(c))
                  ELSE p)

TakeRefused(c) ==
    LET take == candidate[c].take IN
    /\ take # None
    /\ ~take.made
    /\ \A r \in requests : ~(Acknowledges(r, c) /\ Matches(r, lease, heartbeats))
    /\ Becomes(c, [candidate[c] EXCEPT !.take = None])

(* R7: the outcome is unknown, and the request may still be on its way. To see itself as the holder is not leadership. *)
GiveUpTake(c) ==
    LET p == [candidate[c] EXCEPT !.take = None] IN
    /\ ~Prompt
    /\ candidate[c].take # None
    /\ Becomes(c, IF Flaw = "LeadsByReading" /\ lease.holder = Id(c) /\ p.deadline > 0
                  THEN Leads(p, lease.term, HeldFor(c))
                  ELSE p)

(* H8, R13: a leader looks at its own lease, and its term is over if it has not for too long. *)
Check(c) ==
    LET p == candidate[c] IN
    /\ Removable = "lease"
    /\ p.phase \in {"LEADING", "DRAINING"}
    /\ Becomes(c, IF lease.holder = Id(c) /\ lease.term = p.term
                  THEN [p EXCEPT !.proof = HeldFor(c)]
                  ELSE Ended(p, 0))

(* R13: what has vanished is not vacant. *)
Create(c) ==
    /\ candidate[c].up /\ candidate[c].phase = "NONE"
    /\ lease.holder = Gone
    /\ HasWaited(c)
    /\ Sends(c, [kind |-> "CREATE", from |-> Id(c)], candidate[c])

ReleaseOf(c) == [kind |-> "RELEASE", from |-> Id(c), expected |-> lease]

MayGiveBack(c) ==
    /\ MayResign
    /\ candidate[c].up /\ candidate[c].take = None
    /\ \/ candidate[c].phase = "ENDED" /\ candidate[c].keep = 0 /\ lease.holder = Id(c)
       \/ candidate[c].phase = "NONE" /\ ~Prompt /\ IsFree(c)
    /\ Flaw # "KeepsLease"

(* H9: it holds the lease and does not lead, or may come to hold it by a taking whose outcome it does not know. *)
GiveBack(c) ==
    /\ MayGiveBack(c)
    /\ ReleaseOf(c) \notin requests
    /\ Sends(c, ReleaseOf(c), candidate[c])

(* R11: comes last. It names the lease as it was taken. *)
Release(c) ==
    /\ candidate[c].phase = "RELEASING"
    /\ IF lease.holder = Id(c) /\ lease.term = candidate[c].term
       THEN Sends(c, ReleaseOf(c), WithoutTerm(candidate[c]))
       ELSE Becomes(c, WithoutTerm(candidate[c]))

-----------------------------------------------------------------------------
(* What happens inside a process. *)

(* The gate lets a call in. *)
BeginWork(c) ==
    /\ MayResign
    /\ candidate[c].phase = "LEADING"
    /\ candidate[c].work = 0
    /\ Becomes(c, [candidate[c] EXCEPT !.work = candidate[c].term])

(* Work takes any time, and may outlast its term. *)
EndWork(c) ==
    /\ candidate[c].work # 0
    /\ Becomes(c, [candidate[c] EXCEPT !.work = 0])

(* R11: close the gate. *)
Resign(c) ==
    /\ MayResign
    /\ candidate[c].phase = "LEADING"
    /\ Becomes(c, [candidate[c] EXCEPT !.phase = IF Flaw = "ReleasesBeforeDrain" THEN "RELEASING" ELSE "DRAINING"])

(* R11: release when the work has ended. *)
Settle(c) ==
    /\ candidate[c].phase = "DRAINING"
    /\ candidate[c].work = 0
    /\ Becomes(c, [candidate[c] EXCEPT !.phase = "RELEASING"])

IsStuck(c) == candidate[c].phase = "ENDED" /\ candidate[c].work # 0

AllIsWell == \A c \in Candidates : candidate[c].up /\ candidate[c].life = 0 /\ ~IsStuck(c)

(* R11: the work takes too long. The lease is not released now. *)
DrainTimeout(c) ==
    /\ candidate[c].phase = "DRAINING"
    /\ candidate[c].work # 0
    /\ Prompt => AllIsWell
    /\ Becomes(c, Ended(candidate[c], Ttl(c)))

(* A term that is over is left behind when its work has ended, and not before. *)
Finish(c) ==
    /\ candidate[c].phase = "ENDED"
    /\ candidate[c].work = 0
    /\ Becomes(c, WithoutTerm(candidate[c]))

(* What it has sent is still under way. *)
Crash(c) ==
    /\ MayCrash
    /\ AllIsWell
    /\ candidate' = [candidate EXCEPT ![c] = [Started(0) EXCEPT !.up = FALSE]]
    /\ leaderless' = 0
    /\ UNCHANGED <<stored, requests, ahead>>

Restart(c) ==
    /\ ~candidate[c].up
    /\ Becomes(c, Started(1))

-----------------------------------------------------------------------------
(* Time. A process that is paused does nothing while its clock goes on.    *)

(* Where all goes well, no time passes while somebody has something to do. *)
IsDue(c) ==
    LET p == candidate[c] IN
    /\ p.up
    /\ \/ p.beat # None \/ p.take # None
       \/ p.epoch = 0 \/ ~MayBeat(c) \/ ~p.beaten
       \/ \E r \in requests : r.from = Id(c)
       \/ MayTake(c) \/ MayMark(c) \/ MayEnd(c)
       \/ p.phase = "ENDED" /\ p.work = 0
       \/ p.phase = "ENDED" /\ MayGiveBack(c)
       \/ p.phase = "DRAINING" /\ p.work = 0
       \/ p.phase = "RELEASING"

(* A term is over when its deadline has come. The process need not do anything for that. *)
AtDeadline(p) == IF p.deadline = 0 \/ p.proof = 0 THEN Ended(p, Margin) ELSE p

(* A tick later on the clock of the candidate. What has reached its limit is not counted on. *)
Later(c) ==
    LET p == candidate[c] IN
    AtDeadline([p EXCEPT
        !.lapse = Max(0, @ - 1),
        !.deadline = Max(0, @ - 1),
        !.proof = IF Removable = "lease" /\ Flaw # "LeadsUnchecked" THEN Max(0, @ - 1) ELSE @,
        !.keep = Max(0, @ - 1),
        !.watched = IF IsWatching(c) THEN Min(Patience(c), @ + 1) ELSE 0,
        !.beat = IF @ = None THEN None ELSE Min(HeldFor(c), @ + 1),
        !.take = IF @ = None \/ Removable # "lease" THEN @ ELSE [@ EXCEPT !.ago = Min(HeldFor(c), @ + 1)],
        !.beaten = FALSE])

LongestWait == Max(FirstTtl, OtherTtl) + 2

NobodyLeads == \A c \in Candidates : ~Believes(c)

(* Some clocks move by a tick: all, or as few as the bound on their difference allows. *)
Tick(ticking) ==
    LET moved == [c \in Candidates |-> IF c \in ticking THEN ahead[c] + 1 ELSE ahead[c]]
        round == IF \A c \in Candidates : moved[c] > 0 THEN 1 ELSE 0
    IN
    /\ \A c \in Candidates : moved[c] - round <= Drift
    /\ Prompt => \A c \in Candidates : ~IsDue(c)
    /\ ahead' = [c \in Candidates |-> moved[c] - round]
    /\ candidate' = [c \in Candidates |-> IF c \in ticking THEN Later(c) ELSE candidate[c]]
    /\ leaderless' = IF Prompt /\ NobodyLeads THEN Min(LongestWait, leaderless + round) ELSE 0
    /\ UNCHANGED <<stored, requests>>

-----------------------------------------------------------------------------

Next ==
    \/ \E ticking \in SUBSET Candidates \ {{}} : Tick(ticking)
    \/ Apply
    \/ RemoveHeartbeat \/ RemoveLease
    \/ \E c \in Candidates :
          \/ Beat(c) \/ BeatAnswered(c) \/ BeatRefused(c) \/ GiveUpBeat(c) \/ FindHeartbeat(c)
          \/ Mark(c) \/ End(c) \/ CleanUp(c)
          \/ Take(c) \/ TakeAnswered(c) \/ TakeRefused(c) \/ GiveUpTake(c)
          \/ Check(c) \/ Create(c) \/ GiveBack(c) \/ Release(c)
          \/ BeginWork(c) \/ EndWork(c)
          \/ Resign(c) \/ Settle(c) \/ DrainTimeout(c) \/ Finish(c)
          \/ Crash(c) \/ Restart(c)

Spec == Init /\ [][Next]_vars

(* The world does not stand still. *)
FairSpec == Spec /\ WF_vars(Next)

-----------------------------------------------------------------------------
(* What must hold. *)

(* Never do two candidates believe at once. *)
I1 == \A c, d \in Candidates : Believes(c) /\ Believes(d) => c = d

(* The terms granted strictly increase. *)
I2 == \A i, j \in DOMAIN granted : i < j => granted[i] < granted[j]

(* Work of two terms meets only where one of them was lost, not where it was handed over. *)
I5 == \A c, d \in Candidates :
          c # d /\ candidate[c].work # 0 /\ candidate[d].work # 0
              => "ENDED" \in {candidate[c].phase, candidate[d].phase}

(* H2: once over, a term is over. *)
OverIsOver ==
    [][\A c \in Candidates : candidate[c].phase = "ENDED" => ~Believes(c)']_vars

(* Where calls are answered, an election is without leader for no longer than this. *)
I4 == Prompt => leaderless <= 1 + (IF lease.holder = None THEN 0 ELSE lease.ttl)

(* Where calls are answered somebody leads again, unless the bound of the model comes first. *)
I4Eventually == NobodyLeads ~> (~NobodyLeads \/ lease.revision = MaxRevision)
=============================================================================
