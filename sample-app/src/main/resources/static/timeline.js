import { byId, create } from "./dom.js";
import { name, number, paint } from "./instances.js";

const SPAN = 90_000;

const REASONS = {
	RESIGNED: "resigned", SHUTDOWN: "was shut down", EXPIRED: "was not heard from in time", TAKEN_OVER: "was deposed",
	CALLBACK_FAILED: "failed"
};

const clock = (time) => new Date(time).toLocaleTimeString("en-GB");

const place = (element, from, to, now) => {
	const percent = (time) => Math.min(100, Math.max(0, (time - now + SPAN) / SPAN * 100));
	element.style.left = percent(from) + "%";
	element.style.width = percent(to) - percent(from) + "%";
	return element;
};

/** A crashed leader is named until its lease is taken, but leads no longer once its last heartbeat has run out. */
const leadsNow = (term, election) => term.candidate === election.leader && term.number === election.term && election.remainingMillis > 0;

const termSpan = (term, election, now) => {
	const lasts = leadsNow(term, election) && !term.end;
	const element = create("span", "span", number(term.candidate));
	element.title = `${name(term.candidate)}, term ${term.number}, since ${clock(term.startedAt)}`;
	paint(element, term.candidate);
	return place(element, Date.parse(term.startedAt), lasts ? now : Date.parse(term.heldUntil), now);
};

const OUTCOMES = { SUCCEEDED: "succeeded", FAILED: "failed", UNFINISHED: "was not finished" };

/** A run that outlived its term, for example in a process that was suspended, is shown up to the end of that term. */
const runEnd = (run, started, terms) => {
	const finished = Date.parse(run.finishedAt);
	const term = terms.find((each) => each.election === run.election && each.number === run.term);
	return term?.end && run.outcome !== "SUCCEEDED" ? Math.min(finished, Math.max(started + 500, Date.parse(term.heldUntil))) : finished;
};

const runSpan = (run, election, terms, now) => {
	const lasts = !run.finishedAt && run.candidate === election.leader && run.term === election.term;
	const element = create("span", ((run.finishedAt && run.outcome !== "UNFINISHED") || lasts ? "run" : "run cut")
		+ (run.outcome === "FAILED" ? " failed" : "") + (run.cause === "CATCH_UP" ? " catch-up" : ""));
	const started = Date.parse(run.startedAt);
	const end = run.finishedAt ? runEnd(run, started, terms) : lasts ? now : started + 500;
	element.title = `${run.job}, term ${run.term}, ${name(run.candidate)}, ` + (run.finishedAt ? `${Date.parse(run.finishedAt) - started} ms, ${OUTCOMES[run.outcome] ?? "ended"}` : lasts ? "runs" : "was cut off")
		+ (run.cause === "CATCH_UP" ? ", catch-up of a missed fire time" : run.cause === "TRIGGERED" ? ", triggered" : "");
	paint(element, run.candidate);
	return place(element, started, end, now);
};

const lane = (election, history, now) => {
	const track = create("div", "track");
	const since = now - SPAN;
	track.append(...history.terms.filter((term) => term.election === election.name && Date.parse(term.heldUntil) > since)
		.map((term) => termSpan(term, election, now)));
	track.append(...history.runs.filter((run) => run.election === election.name && Date.parse(run.startedAt) > since)
		.map((run) => runSpan(run, election, history.terms, now)));
	const element = create("div", "lane");
	element.append(create("span", "role", election.name), track);
	return element;
};

const ticks = () => {
	const scale = create("div", "ticks");
	[60, 30, 0].forEach((seconds) => {
		const tick = create("span", "", seconds ? `${seconds} s ago` : "now");
		tick.style.left = 100 - seconds * 1000 / SPAN * 100 + "%";
		scale.append(tick);
	});
	const element = create("div", "lane");
	element.append(create("span", ""), scale);
	return element;
};

export const showTimeline = (elections, history, now) => byId("timeline").replaceChildren(
	...elections.map((election) => lane(election, history, now)), ticks());

const why = (term, terms) => {
	const before = terms.find((other) => other.election === term.election && other.number === term.number - 1);
	return before ? `, after ${name(before.candidate)} ${REASONS[before.end] ?? "vanished"}` : "";
};

let shown = "";

export const showChanges = (terms) => {
	const latest = [...terms].reverse().slice(0, 6);
	const key = JSON.stringify(latest.map((term) => [term.id, name(term.candidate), why(term, terms)]));
	if (key === shown) {
		return;
	}
	shown = key;
	byId("changes").replaceChildren(...latest.map((term) => {
		const element = create("li", "change");
		const badge = create("span", "badge", number(term.candidate));
		paint(badge, term.candidate);
		const what = create("span", "", `${name(term.candidate)} leads ${term.election}, term ${term.number}`);
		what.append(create("span", "why", why(term, terms)));
		element.append(create("time", "", clock(term.startedAt)), badge, what);
		return element;
	}));
};
