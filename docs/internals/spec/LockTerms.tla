----------------------------- MODULE LockTerms ------------------------------
(***************************************************************************)
(* One lock, whose lease is inserted, taken, given back, removed when it   *)
(* is not in use, and inserted again; and the floor, which keeps its terms *)
(* rising. README.md beside this file explains it without TLA+.            *)
(*                                                                         *)
(* There is no time and no leadership: a lease can be taken from its       *)
(* holder whenever its state is known. There are no processes or requests  *)
(* either. A request may arrive late, again, or never, and its sender may  *)
(* have crashed. So each change may be made at any time once a process     *)
(* could have seen what it names, and once what must come before it has    *)
(* been done. All that matters is what is stored now, and what ever was.   *)
(***************************************************************************)
EXTENDS Integers, Sequences

CONSTANTS
    None,           \* nothing stored
    MaxInserts,     \* bound: how often the lease is inserted
    MaxTakings,     \* bound: how often it is taken
    MaxOthers,      \* bound: how often it is given back or paused
    Flaw            \* the rule that is broken, or "none"

VARIABLES
    lease,          \* the lease stored under the name of the lock
    floor,          \* the floor of all terms
    seen,           \* each lease ever stored under that name, with the floor at that time
    inserted,       \* how often the lease was inserted
    others,         \* how often it was given back or paused
    granted,        \* the terms granted, in order
    strayed         \* whether a change has reached a lease that it was not meant for

vars == <<lease, floor, seen, inserted, others, granted, strayed>>

Max(a, b) == IF a > b THEN a ELSE b

IsVacant(l) == l # None /\ ~l.held

(* In reality they are random. Here they are so far apart that no lease ever has a revision of another. *)
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
(* L1: a lease is inserted where there is none, and each insert is carried out at most once. The id tells inserts       *)
(* apart. It is not stored in reality; here it shows which changes have strayed. The process that inserts the lease may *)
(* know an earlier term.                                                                                                *)
Insert == \E id \in 1..MaxInserts, term \in 0..1 :
    /\ lease = None
    /\ id = inserted + 1 \/ (Flaw = "InsertsTwice" /\ id <= inserted)
    /\ inserted' = Max(inserted, id)
    /\ Stores([id |-> id, fresh |-> TRUE, held |-> FALSE, term |-> term, revision |-> FirstRevision(id)])
    /\ UNCHANGED <<others, granted, strayed>>

(* L2: a lease is changed only if it still has the revision that was seen. *)
Matches(state) ==
    /\ lease # None
    /\ lease.revision = state.lease.revision

Changes(state, new) ==
    /\ Matches(state)
    /\ Stores([new EXCEPT !.revision = @ + 1])
    /\ strayed' = (strayed \/ lease.id # state.lease.id)

(* L3: the values of the floor that a process may have read after it saw this lease, perhaps long ago. *)
Floors(state) ==
    CASE Flaw = "FloorIgnored" -> {0}
      [] Flaw = "ReadsFloorFirst" -> 0..floor
      [] OTHER -> state.floor..floor

(* L3: the first taking of a lease gets a term above the floor and the lease's own, a later one above the lease's own. *)
TermsAbove(state) ==
    IF state.lease.fresh
    THEN {Max(state.lease.term + 1, IF Flaw = "BeginsAtFloor" THEN read ELSE read + 1) : read \in Floors(state)}
    ELSE {state.lease.term + 1}

Take == \E state \in seen : \E term \in TermsAbove(state) :
    /\ Len(granted) < MaxTakings
    /\ Changes(state, [lease EXCEPT !.held = TRUE, !.fresh = FALSE, !.term = term])
    /\ granted' = Append(granted, term)
    /\ UNCHANGED <<inserted, others>>

(* A vacant lease may be released too, which makes a taking under way fail. *)
Release == \E state \in seen :
    /\ others < MaxOthers
    /\ others' = others + 1
    /\ Changes(state, [lease EXCEPT !.held = FALSE])
    /\ UNCHANGED <<inserted, granted>>

(* A pause, or a request to the holder, changes the revision and nothing else that matters here. *)
Pause == \E state \in seen :
    /\ others < MaxOthers
    /\ others' = others + 1
    /\ Changes(state, lease)
    /\ UNCHANGED <<inserted, granted>>

-----------------------------------------------------------------------------
(* L4: before an unused lease is removed, the floor is raised to its term. The floor is never lowered. *)
RaiseFloor == \E state \in seen :
    /\ ~state.lease.held
    /\ state.lease.term > floor
    /\ Flaw # "FloorNotRaised"
    /\ floor' = state.lease.term
    /\ UNCHANGED <<lease, seen, inserted, others, granted, strayed>>

(* L2, L4: an unused lease is removed if it still has the revision that was seen, once the floor is at least its term.  *)
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

(* The terms granted under the name strictly increase, whichever lease granted them, so no term has two holders. *)
TermsRise == \A i, j \in DOMAIN granted : i < j => granted[i] < granted[j]

(* A change that was meant for a removed lease never reaches the next one. *)
NothingStrays == ~strayed
=============================================================================
