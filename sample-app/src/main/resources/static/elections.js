import { byId, keyed, text } from "./dom.js";
import { badge, isAlive, name, paint, present } from "./instances.js";

const ROLES = { LEADER: "leads", HANDING_OVER: "is handing over", LOST: "has lost its term", FOLLOWER: "follows", PAUSED: "stands aside" };

const able = (button, yes, label) => {
	button.setAttribute("aria-disabled", String(!yes));
	button.setAttribute("aria-label", label);
};

const press = (button, action) => button.onclick = () => {
	if (button.getAttribute("aria-disabled") !== "true") {
		action();
	}
};

const role = (instance, election) => {
	const said = instance.roles[election.name];
	// The list is a second old; who leads is known now.
	const leads = instance.candidate === election.leader;
	if (leads !== (said === "LEADER" || said === "HANDING_OVER")) {
		return leads ? "LEADER" : "FOLLOWER";
	}
	return said ?? "FOLLOWER";
};

const showCandidates = (list, election, now, steer) => {
	const candidates = present(now).filter((instance) => isAlive(instance, now));
	keyed(list, "candidate-template", candidates, (instance) => instance.candidate, (element, instance) => {
		const leads = instance.candidate === election.leader;
		element.classList.toggle("leads", leads);
		badge(element.querySelector(".badge"), instance.candidate);
		text(element.querySelector(".role"), ROLES[role(instance, election)]);
		const button = element.querySelector(".transfer");
		able(button, election.leader && !leads, `Transfer ${election.name} to Instance ${instance.number}`);
		press(button, () => steer(election, instance));
	});
};

const CAUSES = { MADE_UP: ", made up for", TRIGGERED: ", triggered" };

const showJob = (element, election, run) => {
	const job = election.job;
	element.hidden = !job;
	if (job) {
		text(element.querySelector(".last"), job.outcome ? `Last run: ${job.outcome.toLowerCase()}${CAUSES[job.cause] ?? ""}` : "No run yet");
		const button = element.querySelector(".now");
		able(button, election.leadsHere && !job.running, `Run ${job.name} now`);
		press(button, () => run(election));
	}
};

export const showElections = (elections, now, steer, run) => keyed(byId("elections"), "election-template", elections,
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
		text(find(".leader strong"), election.leader ? name(election.leader) + " leads" : "Nobody leads");

		const left = (election.remainingMillis / 1000).toFixed(1);
		const bar = find(".bar");
		bar.setAttribute("aria-label", "Lease of " + election.name);
		bar.setAttribute("aria-valuemax", String(election.ttlMillis / 1000));
		bar.setAttribute("aria-valuenow", left);
		bar.setAttribute("aria-valuetext", left + " seconds left");
		bar.firstElementChild.style.setProperty("--part", String(Math.min(1, election.remainingMillis / election.ttlMillis)));
		text(find(".left"), left + " s left");

		showCandidates(find(".candidates"), election, now, steer);
		showJob(find(".job"), election, run);
		able(find(".resign"), election.leader, `Resign: let another instance lead ${election.name}`);
		press(find(".resign"), () => steer(election, null));
	});
