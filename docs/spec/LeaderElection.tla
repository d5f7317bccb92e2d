--------------------------- MODULE LeaderElection ---------------------------
(***************************************************************************)
(* One election, as the rules R1-R4, R7 and R11 of docs/guarantees.md have *)
(* it. README.md beside this file explains it without TLA+.                *)
(*                                                                         *)
(* There is no common time. Each candidate counts ticks of its own clock,  *)
(* down to its deadline and up from what it first saw. Nobody ever learns  *)
(* what another's clock says.                                              *)
(***************************************************************************)
EXTENDS Integers, Sequences

CONSTANTS
    None,           \* no holder, no sighting, no call, no answer
    Candidates,     \* the processes that take part: {1, 2}
    FirstTtl,       \* the time to live that candidate 1 asks for, in ticks
    OtherTtl,       \* the time to live that the others ask for
    Margin,         \* how long before the end of its lease a leader stops
    Drift,          \* by how many ticks two clocks may come to differ
    MaxRevision,    \* bound: how often the lease changes
    MayCrash,       \* bound: whether one process may die, and start again
    Prompt,         \* whether every call is answered, and every process acts, in time
    Flaw            \* which rule is broken, or "none"

VARIABLES
    lease,          \* what is stored
    requests,       \* the changes that were sent and may yet be made
    candidate,      \* what each process knows
    ahead,          \* by how many ticks each clock is ahead of the slowest
    granted,        \* the terms granted, in order (to state I2)
    silence         \* since how many ticks the lease has not changed (to state I4)

vars == <<lease, requests, candidate, ahead, granted, silence>>

Max(a, b) == IF a > b THEN a ELSE b

Min(a, b) == IF a < b THEN a ELSE b

Ttl(c) == IF c = 1 THEN FirstTtl ELSE OtherTtl

(* For how long a leader may believe after it sent what took or renewed its lease. *)
HeldFor(c) == Ttl(c) - (IF Flaw = "MarginTooSmall" THEN Margin - 1 ELSE Margin)

-----------------------------------------------------------------------------
(* What there is at first. *)

(* A process that has just started: it has a new id, and knows nothing. *)
Started(life) == [
    up       |-> TRUE,
    life     |-> life,      \* makes the id a new one at each start
    sighting |-> None,      \* the lease as last seen,
    watched  |-> 0,         \* and since how many ticks it has looked the same
    call     |-> None,      \* the request that awaits an answer,
    sentAgo  |-> 0,         \* how many ticks ago it was sent,
    answer   |-> None,      \* and the answer, on its way back
    phase    |-> "NONE",    \* of its own term: LEADING, DRAINING, RELEASING, ENDED
    term     |-> 0,
    deadline |-> 0,         \* in how many ticks its term is over
    work     |-> 0,         \* the term of the gated call in flight, or 0
    heard    |-> FALSE ]    \* whether it was answered in this tick

Init ==
    /\ lease = [holder |-> None, term |-> 0, revision |-> 0, ttl |-> FirstTtl]
    /\ requests = {}
    /\ candidate = [c \in Candidates |-> Started(0)]
    /\ ahead = [c \in Candidates |-> 0]
    /\ granted = <<>>
    /\ silence = 0

Id(c) == <<c, candidate[c].life>>

(* R4: Leadership.isHeld() compares clocks, and asks nobody. *)
Believes(c) == candidate[c].phase \in {"LEADING", "DRAINING"} /\ candidate[c].deadline > 0

-----------------------------------------------------------------------------
(* The store. A request may arrive late, twice or never, so it stays among *)
(* the requests. What does not match any more never will again, since      *)
(* revisions and terms only grow, and is dropped.                          *)

(* R1: each change names what it replaces. *)
Matches(r, stored) ==
    CASE r.kind = "TAKE" ->
            /\ r.expected.revision = stored.revision \/ Flaw = "TakeIgnoresRevision"
            /\ r.expected.term = stored.term
      [] r.kind \in {"RENEW", "RELEASE"} ->
            /\ r.from = stored.holder
            /\ r.term = stored.term \/ (Flaw = "ReleaseIgnoresTerm" /\ r.kind = "RELEASE")

Changed(stored, r) ==
    CASE r.kind = "TAKE" ->
            [holder |-> r.from, term |-> r.term, revision |-> stored.revision + 1, ttl |-> r.ttl]
      [] r.kind = "RENEW" ->
            [stored EXCEPT !.revision = @ + 1]
      [] r.kind = "RELEASE" ->
            [stored EXCEPT !.revision = @ + 1, !.holder = None]

IsAwaited(r) == candidate[r.from[1]].call = r

(* A change is made, whether or not its sender still waits for the answer. *)
Apply == \E r \in requests :
    /\ Matches(r, lease)
    /\ lease.revision < MaxRevision
    /\ lease' = Changed(lease, r)
    /\ requests' = {s \in requests : Matches(s, lease')}
    /\ candidate' = IF IsAwaited(r) THEN [candidate EXCEPT ![r.from[1]].answer = "yes"] ELSE candidate
    /\ granted' = IF r.kind = "TAKE" THEN Append(granted, r.term) ELSE granted
    /\ silence' = 0
    /\ UNCHANGED ahead

-----------------------------------------------------------------------------
(* What a candidate asks of the store: one call at a time. *)

Calls(c, r, answer) ==
    /\ candidate[c].up
    /\ candidate[c].call = None
    /\ candidate' = [candidate EXCEPT ![c].call = r, ![c].answer = answer]
    /\ UNCHANGED <<lease, ahead, granted, silence>>

Sends(c, r) ==
    /\ Calls(c, r, None)
    /\ requests' = IF Matches(r, lease) THEN requests \union {r} ELSE requests

NeedsLook(c) == candidate[c].sighting = None \/ ~candidate[c].heard

(* What it sees is the lease of now, even if the answer is long under way. *)
Look(c) ==
    /\ candidate[c].phase = "NONE"
    /\ Prompt => NeedsLook(c)
    /\ Calls(c, [kind |-> "LOOK"], lease)
    /\ UNCHANGED requests

(* R2: the time to live is that of the lease, not the watcher's. *)
Patience(c) == IF Flaw = "WatchesOwnTtl" THEN Ttl(c) ELSE candidate[c].sighting.ttl

(* R2: a lease that is vacant, or its own, or was the same for long enough on its own clock. *)
MayTake(c) ==
    /\ candidate[c].phase = "NONE"
    /\ candidate[c].sighting # None
    /\ \/ candidate[c].sighting.holder \in {None, Id(c)}
       \/ candidate[c].watched >= Patience(c) /\ Flaw # "WaitsForRelease"

(* R3: each taking has a new term. *)
NextTerm(seen) == IF Flaw = "TermNotRaised" THEN Max(1, seen.term) ELSE seen.term + 1

Take(c) ==
    /\ MayTake(c)
    /\ Sends(c, [kind |-> "TAKE", from |-> Id(c), expected |-> candidate[c].sighting,
                 term |-> NextTerm(candidate[c].sighting), ttl |-> Ttl(c)])

(* R11: goes on while draining. *)
Renew(c) ==
    /\ candidate[c].phase \in {"LEADING", "DRAINING"}
    /\ Prompt => ~candidate[c].heard
    /\ Sends(c, [kind |-> "RENEW", from |-> Id(c), term |-> candidate[c].term])

(* R11: comes last. *)
Release(c) ==
    /\ candidate[c].phase = "RELEASING"
    /\ Sends(c, [kind |-> "RELEASE", from |-> Id(c), term |-> candidate[c].term])

-----------------------------------------------------------------------------
(* What a candidate makes of an answer, or of none. *)

Answered(p) == [p EXCEPT !.call = None, !.answer = None, !.sentAgo = 0, !.heard = Prompt]

WithoutTerm(p) == [p EXCEPT !.phase = "NONE", !.term = 0, !.deadline = 0]

Ended(p) == [p EXCEPT !.phase = "ENDED", !.deadline = 0]

Leads(p, term, deadline) == [p EXCEPT !.phase = "LEADING", !.term = term, !.deadline = deadline]

(* R4: counted from before the call was sent. *)
NewDeadline(c) == HeldFor(c) - (IF Flaw = "DeadlineFromReply" THEN 0 ELSE candidate[c].sentAgo)

(* R2: counted from when it first saw this revision. *)
Sees(p, seen) == IF p.sighting = seen THEN p ELSE [p EXCEPT !.sighting = seen, !.watched = 0]

Forgets(p) == [p EXCEPT !.sighting = None, !.watched = 0]

(* R7: to see itself as the holder is not leadership, but it may take that lease again. *)
AfterLook(c, p) ==
    IF Flaw = "LeadsByReading" /\ candidate[c].answer.holder = Id(c) /\ NewDeadline(c) > 0
    THEN Leads(Forgets(p), candidate[c].answer.term, NewDeadline(c))
    ELSE Sees(p, candidate[c].answer)

(* R7: only the answer to this very call makes a leader, if it comes in time. *)
AfterTake(c, p) ==
    IF NewDeadline(c) > 0
    THEN Leads(Forgets(p), candidate[c].call.term, NewDeadline(c))
    ELSE Forgets(p)

(* R4: a term that is over stays over, even if an answer says that it was renewed. *)
AfterRenew(c, p) ==
    CASE p.phase \in {"LEADING", "DRAINING"} -> [p EXCEPT !.deadline = NewDeadline(c)]
      [] p.phase = "ENDED" /\ Flaw = "RevivedByLateReply" -> Leads(p, p.term, Max(1, NewDeadline(c)))
      [] OTHER -> p

AfterRelease(p) == IF p.phase = "RELEASING" THEN WithoutTerm(p) ELSE p

Receive(c) ==
    /\ candidate[c].answer # None
    /\ LET p == Answered(candidate[c]) IN
       candidate' = [candidate EXCEPT ![c] =
            CASE candidate[c].call.kind = "LOOK" -> AfterLook(c, p)
              [] candidate[c].call.kind = "TAKE" -> AfterTake(c, p)
              [] candidate[c].call.kind = "RENEW" -> AfterRenew(c, p)
              [] candidate[c].call.kind = "RELEASE" -> AfterRelease(p)]
    /\ UNCHANGED <<lease, requests, ahead, granted, silence>>

(* The change matched nothing. (It never will again, so it does not matter when the answer comes.) *)
Refused(c) ==
    /\ candidate[c].call # None
    /\ candidate[c].answer = None
    /\ ~Matches(candidate[c].call, lease)
    /\ LET p == Answered(candidate[c]) IN
       candidate' = [candidate EXCEPT ![c] =
            CASE candidate[c].call.kind = "TAKE" -> Forgets(p)
              [] candidate[c].call.kind = "RENEW" -> IF Believes(c) THEN Ended(p) ELSE p
              [] candidate[c].call.kind = "RELEASE" -> AfterRelease(p)]
    /\ UNCHANGED <<lease, requests, ahead, granted, silence>>

(* R7: the call has failed, its outcome is unknown. A leader goes on to its deadline. *)
GiveUp(c) ==
    /\ ~Prompt
    /\ candidate[c].call # None
    /\ candidate' = [candidate EXCEPT ![c] = Answered(@)]
    /\ UNCHANGED <<lease, requests, ahead, granted, silence>>

-----------------------------------------------------------------------------
(* What happens inside a process. *)

Becomes(c, p) ==
    /\ candidate' = [candidate EXCEPT ![c] = p]
    /\ UNCHANGED <<lease, requests, ahead, granted, silence>>

(* The gate lets a call in. *)
BeginWork(c) ==
    /\ candidate[c].phase = "LEADING"
    /\ candidate[c].work = 0
    /\ Becomes(c, [candidate[c] EXCEPT !.work = candidate[c].term])

(* Work takes any time, and may outlast its term. *)
EndWork(c) ==
    /\ candidate[c].work # 0
    /\ Becomes(c, [candidate[c] EXCEPT !.work = 0])

(* R11: close the gate. *)
Resign(c) ==
    /\ candidate[c].phase = "LEADING"
    /\ Becomes(c, [candidate[c] EXCEPT !.phase = IF Flaw = "ReleasesBeforeDrain" THEN "RELEASING" ELSE "DRAINING"])

(* R11: release when the work has ended. *)
Settle(c) ==
    /\ candidate[c].phase = "DRAINING"
    /\ candidate[c].work = 0
    /\ Becomes(c, [candidate[c] EXCEPT !.phase = "RELEASING"])

(* R11: the work takes too long. The lease is not released, it expires. *)
DrainTimeout(c) ==
    /\ candidate[c].phase = "DRAINING"
    /\ candidate[c].work # 0
    /\ Becomes(c, Ended(candidate[c]))

(* A term that is over is left behind when its work has ended, and not before. *)
Finish(c) ==
    /\ candidate[c].phase = "ENDED"
    /\ candidate[c].work = 0
    /\ Becomes(c, WithoutTerm(candidate[c]))

(* What it has sent is still under way. *)
Crash(c) ==
    /\ MayCrash
    /\ \A d \in Candidates : candidate[d].up /\ candidate[d].life = 0
    /\ Becomes(c, [Started(0) EXCEPT !.up = FALSE])

Restart(c) ==
    /\ ~candidate[c].up
    /\ Becomes(c, Started(1))

-----------------------------------------------------------------------------
(* Time. A process that is paused does nothing while its clock goes on.    *)

(* Where all goes well, no time passes while somebody has something to do. *)
IsDue(c) ==
    /\ candidate[c].up
    /\ \/ candidate[c].call # None
       \/ candidate[c].phase = "NONE" /\ (NeedsLook(c) \/ MayTake(c))
       \/ candidate[c].phase \in {"LEADING", "DRAINING"} /\ ~candidate[c].heard
       \/ candidate[c].phase = "DRAINING" /\ candidate[c].work = 0
       \/ candidate[c].phase \in {"RELEASING", "ENDED"}

IsWatching(c) == candidate[c].sighting # None /\ candidate[c].sighting.holder \notin {None, Id(c)}

IsTimed(c) ==
    /\ candidate[c].call # None
    /\ candidate[c].call.kind \in {"TAKE", "RENEW"} \/ Flaw = "LeadsByReading"

(* R4: a term is over when its deadline has come. The process need not do anything for that. *)
AtDeadline(p) == IF p.phase \in {"LEADING", "DRAINING", "RELEASING"} /\ p.deadline = 0 THEN Ended(p) ELSE p

(* A tick later on the clock of the candidate. What has reached its limit is not counted on. *)
Later(c) ==
    AtDeadline([candidate[c] EXCEPT
        !.deadline = Max(0, @ - 1),
        !.watched = IF IsWatching(c) THEN Min(Patience(c), @ + 1) ELSE 0,
        !.sentAgo = IF IsTimed(c) THEN Min(HeldFor(c), @ + 1) ELSE 0,
        !.heard = FALSE])

LongestSilence == Max(FirstTtl, OtherTtl) + 1

(* Some clocks move by a tick: all, or as few as the bound on their difference allows. *)
Tick(ticking) ==
    LET moved == [c \in Candidates |-> IF c \in ticking THEN ahead[c] + 1 ELSE ahead[c]]
        round == IF \A c \in Candidates : moved[c] > 0 THEN 1 ELSE 0
    IN
    /\ \A c \in Candidates : moved[c] - round <= Drift
    /\ Prompt => \A c \in Candidates : ~IsDue(c)
    /\ ahead' = [c \in Candidates |-> moved[c] - round]
    /\ candidate' = [c \in Candidates |-> IF c \in ticking THEN Later(c) ELSE candidate[c]]
    /\ silence' = IF Prompt THEN Min(LongestSilence + 1, silence + round) ELSE 0
    /\ UNCHANGED <<lease, requests, granted>>

-----------------------------------------------------------------------------

Next ==
    \/ \E ticking \in SUBSET Candidates \ {{}} : Tick(ticking)
    \/ Apply
    \/ \E c \in Candidates :
          \/ Look(c) \/ Take(c) \/ Renew(c) \/ Release(c)
          \/ Receive(c) \/ Refused(c) \/ GiveUp(c)
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

(* R4: once over, a term is over. *)
OverIsOver ==
    [][\A c \in Candidates : candidate[c].phase = "ENDED" => ~Believes(c)']_vars

NobodyLeads == \A c \in Candidates : ~Believes(c)

(* Where calls are answered, an election is without leader for no longer than this. *)
I4 == Prompt /\ NobodyLeads =>
          silence <= 1 + (IF lease.holder = None THEN 0 ELSE lease.ttl)

(* Where calls are answered somebody leads again, unless the bound of the model comes first. *)
I4Eventually == NobodyLeads ~> (~NobodyLeads \/ lease.revision = MaxRevision)
=============================================================================
