----------------------------- MODULE LockTerms ------------------------------
(***************************************************************************)
(* One lock, whose lease is created, taken, given back, removed when it is *)
(* not in use, and created again; and the floor, which keeps its terms     *)
(* rising. README.md beside this file explains it without TLA+.            *)
(*                                                                         *)
(* There is no time, and nobody believes anything: a lease is taken from   *)
(* whoever holds it whenever that is possible. All that matters is what is *)
(* stored, and which requests are still on their way.                      *)
(*                                                                         *)
(* Processes have no steps of their own but those that they remember       *)
(* something between: whoever confirms has read a draft, and then the      *)
(* floor; whoever removes has seen a vacant lease, and then raised the     *)
(* floor. One that dies forgets, and what it has sent stays on its way.    *)
(* To create, to take and to give back takes one request each, which       *)
(* anybody may send who has ever seen what it names.                       *)
(***************************************************************************)
EXTENDS Integers, Sequences, TLC

CONSTANTS
    None,           \* nothing stored, nothing remembered
    Processes,      \* those who confirm and remove
    MaxDrafts,      \* bound: how many drafts are sent
    MaxTakings,     \* bound: how many takings are sent
    MaxReleases,    \* bound: how many releases are sent
    Flaw            \* which rule is broken, or "none"

VARIABLES
    lease,          \* what is stored under the name of the lock
    floor,          \* the floor of all terms
    requests,       \* the changes that were sent and may yet be made
    process,        \* what each process remembers
    drafts,         \* how many drafts were sent
    takings,        \* how many takings were sent
    releases,       \* how many releases were sent
    seen,           \* the states in which the lease was confirmed, for whoever acts on what was long ago
    granted,        \* the terms granted, in order
    strayed         \* whether a request has changed another lease than the one it was meant for

(* Processes are all alike. *)
Alike == Permutations(Processes)

vars == <<lease, floor, requests, process, drafts, takings, releases, seen, granted, strayed>>

Max(a, b) == IF a > b THEN a ELSE b

IsDraft(l) == l # None /\ l.kind = "draft"

IsLease(l) == l # None /\ l.kind = "lease"

IsVacant(l) == IsLease(l) /\ ~l.held

Idle == [step |-> "idle"]

Init ==
    /\ lease = None
    /\ floor = -1
    /\ requests = {}
    /\ process = [p \in Processes |-> Idle]
    /\ drafts = 0
    /\ takings = 0
    /\ releases = 0
    /\ seen = {}
    /\ granted = <<>>
    /\ strayed = FALSE

-----------------------------------------------------------------------------
(* The store. Requests but those to insert and to raise may arrive late,   *)
(* twice or never. The bound on what is sent makes up for that.            *)

Stores(new) ==
    /\ lease' = new
    /\ seen' = IF IsLease(new) THEN seen \union {new} ELSE seen

(* What a taking, a release or a removal names. *)
IsAsExpected(expected) ==
    /\ IsLease(lease)
    /\ lease.revision = expected.revision
    /\ lease.term = expected.term

(* A draft is inserted where there is nothing, once at most. *)
Insert(r) ==
    /\ lease = None
    /\ Stores([kind |-> "draft", id |-> r.id])
    /\ requests' = IF Flaw = "InsertsTwice" THEN requests ELSE requests \ {r}
    /\ UNCHANGED <<granted, strayed>>

(* A lease begins: which one it is is told by the draft, and only of use to say what has strayed. *)
Confirm(r) ==
    /\ IF Flaw = "ConfirmsAnyDraft" THEN IsDraft(lease) ELSE IsDraft(lease) /\ lease.id = r.id
    /\ Stores([kind |-> "lease", id |-> lease.id, held |-> FALSE, term |-> r.term, revision |-> 0])
    /\ UNCHANGED <<requests, granted>>
    /\ strayed' = (strayed \/ lease.id # r.id)

Take(r) ==
    /\ IsAsExpected(r.expected)
    /\ Stores([lease EXCEPT !.held = TRUE, !.term = @ + 1, !.revision = @ + 1])
    /\ granted' = Append(granted, lease.term + 1)
    /\ strayed' = (strayed \/ lease.id # r.expected.id)
    /\ UNCHANGED requests

Release(r) ==
    /\ IsAsExpected(r.expected)
    /\ lease.held = r.expected.held
    /\ Stores([lease EXCEPT !.held = FALSE, !.revision = @ + 1])
    /\ strayed' = (strayed \/ lease.id # r.expected.id)
    /\ UNCHANGED <<requests, granted>>

Remove(r) ==
    /\ \/ IsVacant(lease) /\ IsAsExpected(r.expected)
       \/ Flaw = "RemovesByName" /\ IsVacant(lease)
    /\ Stores(None)
    /\ strayed' = (strayed \/ lease.id # r.expected.id)
    /\ UNCHANGED <<requests, granted>>

Apply == \E r \in requests :
    /\ CASE r.kind = "INSERT" -> Insert(r)
         [] r.kind = "CONFIRM" -> Confirm(r)
         [] r.kind = "TAKE" -> Take(r)
         [] r.kind = "RELEASE" -> Release(r)
         [] r.kind = "REMOVE" -> Remove(r)
    /\ UNCHANGED <<floor, process, drafts, takings, releases>>

-----------------------------------------------------------------------------
(* What takes one request. *)

Sends(r) ==
    /\ requests' = requests \union {r}
    /\ UNCHANGED <<lease, floor, seen, granted, strayed>>

SendDraft ==
    /\ drafts < MaxDrafts
    /\ drafts' = drafts + 1
    /\ Sends([kind |-> "INSERT", id |-> drafts + 1])
    /\ UNCHANGED <<process, takings, releases>>

SendTaking == \E expected \in seen :
    /\ takings < MaxTakings
    /\ takings' = takings + 1
    /\ Sends([kind |-> "TAKE", expected |-> expected])
    /\ UNCHANGED <<process, drafts, releases>>

(* Of a vacant lease too: a taking that expects the same then comes to nothing. *)
SendRelease == \E expected \in seen :
    /\ releases < MaxReleases
    /\ releases' = releases + 1
    /\ Sends([kind |-> "RELEASE", expected |-> expected])
    /\ UNCHANGED <<process, drafts, takings>>

-----------------------------------------------------------------------------
(* Who confirms: read the draft, read the floor, and make it a lease above that. *)

Remembers(p, what) ==
    /\ process' = [process EXCEPT ![p] = what]
    /\ UNCHANGED <<lease, drafts, takings, releases, seen, granted, strayed>>

FindDraft(p) ==
    /\ IsDraft(lease)
    /\ IF Flaw = "ReadsFloorFirst"
       THEN process[p].step = "floored" /\ Remembers(p, [step |-> "ready", id |-> lease.id, floor |-> process[p].floor])
       ELSE process[p].step = "idle" /\ Remembers(p, [step |-> "drafted", id |-> lease.id])
    /\ UNCHANGED <<floor, requests>>

ReadFloor(p) ==
    /\ IF Flaw = "ReadsFloorFirst"
       THEN process[p].step = "idle" /\ Remembers(p, [step |-> "floored", floor |-> floor])
       ELSE process[p].step = "drafted" /\ Remembers(p, [step |-> "ready", id |-> process[p].id, floor |-> floor])
    /\ UNCHANGED <<floor, requests>>

Beginning(above) == IF Flaw = "BeginsAtFloor" THEN Max(above, 0) ELSE above + 1

SendConfirmation(p) ==
    /\ process[p].step = "ready"
    /\ requests' = requests \union
            {[kind |-> "CONFIRM", id |-> process[p].id, term |-> Beginning(process[p].floor)]}
    /\ Remembers(p, Idle)
    /\ UNCHANGED floor

-----------------------------------------------------------------------------
(* Who removes: see that it is vacant, raise the floor, and delete what is still the same. *)

FindUnused(p) ==
    /\ process[p].step = "idle"
    /\ IsVacant(lease)
    /\ Remembers(p, [step |-> "found", expected |-> lease])
    /\ UNCHANGED <<floor, requests>>

RaiseFloor(p) ==
    /\ process[p].step = "found"
    /\ floor' = IF Flaw = "FloorNotRaised" THEN floor ELSE Max(floor, process[p].expected.term)
    /\ Remembers(p, [process[p] EXCEPT !.step = "raised"])
    /\ UNCHANGED requests

SendRemoval(p) ==
    /\ process[p].step = "raised" \/ (Flaw = "RemovesFirst" /\ process[p].step = "found")
    /\ requests' = requests \union {[kind |-> "REMOVE", expected |-> process[p].expected]}
    /\ Remembers(p, IF process[p].step = "raised" THEN Idle ELSE process[p])
    /\ UNCHANGED floor

(* It dies, or gives up, wherever it is. *)
Crash(p) ==
    /\ process[p].step # "idle"
    /\ Remembers(p, Idle)
    /\ UNCHANGED <<floor, requests>>

Next ==
    \/ Apply
    \/ SendDraft
    \/ SendTaking
    \/ SendRelease
    \/ \E p \in Processes :
        \/ FindDraft(p) \/ ReadFloor(p) \/ SendConfirmation(p)
        \/ FindUnused(p) \/ RaiseFloor(p) \/ SendRemoval(p)
        \/ Crash(p)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* What must hold. *)

(* The terms granted under the name strictly increase, whichever lease granted them: so no term has two holders. *)
TermsRise == \A i, j \in DOMAIN granted : i < j => granted[i] < granted[j]

(* What is meant for a lease that was removed, or for a draft, never changes the next. *)
NothingStrays == ~strayed
=============================================================================
