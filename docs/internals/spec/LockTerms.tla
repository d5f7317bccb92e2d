----------------------------- MODULE LockTerms ------------------------------
(***************************************************************************)
(* One lock, whose lease is inserted, taken, given back, removed when it   *)
(* is not in use, and inserted again; and the floor, which keeps its terms *)
(* rising. README.md beside this file explains it without TLA+.            *)
(*                                                                         *)
(* There is no time, and nobody believes anything: a lease is taken from   *)
(* whoever holds it whenever that is possible. Nor are there processes, or *)
(* requests. A request may arrive late, again, or never, and its sender    *)
(* may have died. So each change may be made at any time once somebody     *)
(* could have seen what it names, and once what must come before it has    *)
(* been done. All that matters is what is stored, and what ever was.       *)
(***************************************************************************)
EXTENDS Integers, Sequences

CONSTANTS
    None,           \* nothing stored
    MaxInserts,     \* bound: how often the lease is inserted
    MaxTakings,     \* bound: how often it is taken
    MaxOthers,      \* bound: how often it is given back or paused
    Flaw            \* which rule is broken, or "none"

VARIABLES
    lease,          \* what is stored under the name of the lock
    floor,          \* the floor of all terms
    seen,           \* what was ever stored under that name, and the floor when it came to be so
    inserted,       \* how often the lease was inserted
    others,         \* how often it was given back or paused
    granted,        \* the terms granted, in order
    strayed         \* whether a change has met another lease than the one it was meant for

vars == <<lease, floor, seen, inserted, others, granted, strayed>>

Max(a, b) == IF a > b THEN a ELSE b

IsVacant(l) == l # None /\ ~l.held

(* They are random, and so far apart that no lease ever has a revision of another. *)
FirstRevision(id) == IF Flaw = "FirstRevisionIsOne" THEN 1 ELSE 100 * id

Init ==
    /\ lease = None
    /\ floor = 0
    /\ seen = {}
    /\ inserted = 0
    /\ others = 0
    /\ granted = <<>>
    /\ strayed = FALSE

Stores(new) ==
    /\ lease' = new
    /\ seen' = IF new = None THEN seen ELSE seen \union {[lease |-> new, floor |-> floor]}
    /\ UNCHANGED floor

-----------------------------------------------------------------------------
(* L1: a lease is inserted where there is nothing, and each insert is carried out once at most. Which one it was, its   *)
(* id, is not stored: it is of use to say what has strayed. Whoever inserts may know of a term that there was.          *)
Insert == \E id \in 1..MaxInserts, term \in 0..1 :
    /\ lease = None
    /\ id = inserted + 1 \/ (Flaw = "InsertsTwice" /\ id <= inserted)
    /\ inserted' = Max(inserted, id)
    /\ Stores([id |-> id, fresh |-> TRUE, held |-> FALSE, term |-> term, revision |-> FirstRevision(id)])
    /\ UNCHANGED <<others, granted, strayed>>

(* L2: what is changed has still the revision that was seen. *)
Matches(state) ==
    /\ lease # None
    /\ lease.revision = state.lease.revision

Changes(state, new) ==
    /\ Matches(state)
    /\ Stores([new EXCEPT !.revision = @ + 1])
    /\ strayed' = (strayed \/ lease.id # state.lease.id)

(* L3: what the floor may be to someone who has seen this. It was read after the lease, and may have been read long ago. *)
Floors(state) ==
    CASE Flaw = "FloorIgnored" -> {0}
      [] Flaw = "ReadsFloorFirst" -> 0..floor
      [] OTHER -> state.floor..floor

(* L3: a lease that was never taken is taken above the floor, any other above the term that it has. *)
TermsAbove(state) ==
    IF state.lease.fresh
    THEN {Max(state.lease.term + 1, IF Flaw = "BeginsAtFloor" THEN read ELSE read + 1) : read \in Floors(state)}
    ELSE {state.lease.term + 1}

Take == \E state \in seen : \E term \in TermsAbove(state) :
    /\ Len(granted) < MaxTakings
    /\ Changes(state, [lease EXCEPT !.held = TRUE, !.fresh = FALSE, !.term = term])
    /\ granted' = Append(granted, term)
    /\ UNCHANGED <<inserted, others>>

(* Also of a vacant one, so that a taking that is under way comes to nothing. *)
Release == \E state \in seen :
    /\ others < MaxOthers
    /\ others' = others + 1
    /\ Changes(state, [lease EXCEPT !.held = FALSE])
    /\ UNCHANGED <<inserted, granted>>

(* To pause it, or to ask its holder for something, changes the revision and nothing that matters here. *)
Pause == \E state \in seen :
    /\ others < MaxOthers
    /\ others' = others + 1
    /\ Changes(state, lease)
    /\ UNCHANGED <<inserted, granted>>

-----------------------------------------------------------------------------
(* L4: before an unused lease is removed the floor is raised to its term. It is never lowered. *)
RaiseFloor == \E state \in seen :
    /\ ~state.lease.held
    /\ state.lease.term > floor
    /\ Flaw # "FloorNotRaised"
    /\ floor' = state.lease.term
    /\ UNCHANGED <<lease, seen, inserted, others, granted, strayed>>

(* L2, L4: it is removed if it has still the revision that was seen, by who knows that the floor is as high. *)
Remove == \E state \in seen :
    /\ ~state.lease.held
    /\ state.lease.term <= floor \/ Flaw = "RemovesFirst" \/ Flaw = "FloorNotRaised"
    /\ Matches(state) \/ (Flaw = "RemovesByName" /\ IsVacant(lease))
    /\ Stores(None)
    /\ strayed' = (strayed \/ lease.id # state.lease.id)
    /\ UNCHANGED <<inserted, others, granted>>

Next == Insert \/ Take \/ Release \/ Pause \/ RaiseFloor \/ Remove

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* What must hold. *)

(* The terms granted under the name strictly increase, whichever lease granted them: so no term has two holders. *)
TermsRise == \A i, j \in DOMAIN granted : i < j => granted[i] < granted[j]

(* What is meant for a lease that was removed never changes the next. *)
NothingStrays == ~strayed
=============================================================================
