import { byId, keyed, text } from "./dom.js";
import { badge, isAlive, name, paint, present } from "./instances.js";

const ROLES = { LEADER: "leads", HANDING_OVER: "is handing over", LOST: "has lost its term", FOLLOWER: "follows", PAUSED: "is paused" };

const able = (button, yes, label) => {
	button.setAttribute("aria-disabled", String(!yes));
	button.setAttribute("aria-label", label);
};

const press = (button, action) => button.onclick = () => {
	if (button.getAttribute("aria-disabled") !== "true") {
		action();
	}
};

/** Use the current state of this instance, and the last report of another one, which can be a second old. */
const said = (instance, election, self) => instance.candidate === self ? { role: election.role, calls: election.callsInFlight }
	: { role: instance.roles[election.name], calls: instance.callsInFlight[election.name] ?? 0 };

const role = (instance, election, self) => {
	const { role } = said(instance, election, self);
	const leads = instance.candidate === election.leader;
	if (role !== "PAUSED" && leads !== (role === "LEADER" || role === "HANDING_OVER")) {
		return leads ? "LEADER" : "FOLLOWER";
	}
	return role ?? "FOLLOWER";
};

/** Include the calls in flight: a handover waits for them. */
const describe = (instance, election, self) => {
	const { calls } = said(instance, election, self);
	const what = ROLES[role(instance, election, self)];
	return calls ? `${what}, ${calls} ${calls === 1 ? "call" : "calls"}` : what;
};

const showCandidates = (list, election, self, now, steer) => {
	const candidates = present(now).filter((instance) => isAlive(instance, now));
	keyed(list, "candidate-template", candidates, (instance) => instance.candidate, (element, instance) => {
		const leads = instance.candidate === election.leader;
		element.classList.toggle("leads", leads);
		badge(element.querySelector(".badge"), instance.candidate);
		text(element.querySelector(".role"), describe(instance, election, self));
		const button = element.querySelector(".transfer");
		able(button, election.leader && !leads && role(instance, election, self) !== "PAUSED", `Transfer ${election.name} to Instance ${instance.number}`);
		press(button, () => steer(election, instance));
	});
};

const CAUSES = { CATCH_UP: ", catch-up", TRIGGERED: ", triggered" };

/** The library records the runs of some jobs; the sample itself notes the runs of all gated jobs. */
const showJob = (element, election, runs, run) => {
	const job = election.job;
	const last = job?.outcome ? job : runs.filter((each) => each.election === election.name && each.outcome).at(-1);
	element.hidden = !job && !last;
	text(element.querySelector(".last"), last ? `Last run: ${last.outcome.toLowerCase()}${CAUSES[last.cause] ?? ""}` : "No run yet");
	const button = element.querySelector(".now");
	button.hidden = !job;
	if (job) {
		able(button, election.leadsHere && !job.running, `Run ${job.name} now`);
		press(button, () => run(election));
	}
};

const who = (election) => {
	const said = election.leader ? name(election.leader) + " leads" : "Nobody leads";
	return election.paused ? `${said}: the election is paused` : said;
};

const showPause = (button, election, self, pause) => {
	const paused = election.role === "PAUSED";
	const what = `${paused ? "Resume" : "Pause"} ${name(self)}`;
	text(button, what);
	able(button, election.role !== "HANDING_OVER", `${what} in ${election.name}`);
	press(button, () => pause(election, paused));
};

export const showElections = (overview, now, actions) => keyed(byId("elections"), "election-template", overview.elections,
	(election) => election.name, (element, election) => {
		const find = (selector) => element.querySelector(selector);
		element.setAttribute("aria-label", election.name);
		element.classList.toggle("vacant", !election.leader);
		paint(element, election.leader);
		text(find(".name"), election.name);
		text(find(".term"), election.term ? "term " + election.term : "");
		find(".leader .badge").hidden = !election.leader;
		if (election.leader) {
			badge(find(".leader .badge"), election.leader);
		}
		text(find(".leader strong"), who(election));

		const left = (election.remainingMillis / 1000).toFixed(1);
		const bar = find(".bar");
		bar.setAttribute("aria-label", "Lease of " + election.name);
		bar.setAttribute("aria-valuemax", String(election.ttlMillis / 1000));
		bar.setAttribute("aria-valuenow", left);
		bar.setAttribute("aria-valuetext", left + " seconds left");
		bar.firstElementChild.style.setProperty("--part", String(Math.min(1, election.remainingMillis / election.ttlMillis)));
		text(find(".left"), left + " s left");

		showCandidates(find(".candidates"), election, overview.instance, now, actions.steer);
		showJob(find(".job"), election, overview.history?.runs ?? [], actions.run);
		showPause(find(".pause"), election, overview.instance, actions.pause);
		able(find(".resign"), election.leader, `Resign: let another instance lead ${election.name}`);
		press(find(".resign"), () => actions.resign(election));
	});
