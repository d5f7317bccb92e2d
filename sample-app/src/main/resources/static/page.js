import { byId, text } from "./dom.js";
import { showElections } from "./elections.js";
import { name, others, remember, showInstances } from "./instances.js";
import { showChanges, showTimeline } from "./timeline.js";

/** For how many milliseconds the instance may be silent; it sends its state twice a second. */
const PATIENCE = 3000;

const say = (message) => text(byId("status"), message);

// The state shown last
let overview;
let leaders = new Map();

const steer = (election, successor) => {
	const path = "api/elections/" + encodeURIComponent(election.name);
	const query = successor ? "/transfer?to=" + encodeURIComponent(successor.candidate) : "/resign";
	const wish = successor ? `to hand ${election.name} over to Instance ${successor.number}` : `to resign from ${election.name}`;
	say(`Asked ${name(election.leader)} ${wish}.`);
	return post(path + query);
};

/** Ask first. The answer applies only to the leader that was named in the question. */
const resign = (election) => {
	const dialog = byId("confirmation");
	text(byId("question"), `Let ${name(election.leader)} resign from ${election.name}? Another instance leads as soon as its work is done.`);
	const confirm = dialog.querySelector(".confirm");
	confirm.setAttribute("aria-label", `Let ${name(election.leader)} resign from ${election.name}`);
	confirm.onclick = () => {
		dialog.close();
		if (leaders.get(election.name) === election.leader) {
			steer(election, null);
		}
		else {
			say(`${name(election.leader)} does not lead ${election.name} any more.`);
		}
	};
	dialog.querySelector(".cancel").onclick = () => dialog.close();
	dialog.showModal();
};

const pause = (election, paused) => {
	say(`Asked ${name(overview.instance)} to ${paused ? "stand in" : "stand aside in"} ${election.name}${paused ? " again" : ""}.`);
	return post(`api/elections/${encodeURIComponent(election.name)}/${paused ? "resume" : "pause"}`);
};

const run = (election) => {
	say(`Asked for a run of ${election.job.name}.`);
	return post(`api/elections/${encodeURIComponent(election.name)}/run?job=${encodeURIComponent(election.job.name)}`);
};

const post = async (path) => {
	try {
		const response = await fetch(path, { method: "POST" });
		if (!response.ok) {
			say(`That can't be done: ${await response.text() || "error " + response.status}.`);
		}
	}
	catch (error) {
		say("That can't be done: this instance does not answer.");
	}
};

const announceChanges = (elections) => {
	const changed = elections.filter((election) => leaders.has(election.name) && leaders.get(election.name) !== election.leader);
	if (changed.length) {
		say(changed.map((election) => `${election.leader ? name(election.leader) + " leads" : "Nobody leads"} ${election.name}.`).join(" "));
	}
	leaders = new Map(elections.map((election) => [election.name, election.leader]));
};

const showMongo = (mongo) => {
	const changes = mongo.pushed ? "pushes changes" : `is polled for changes${mongo.notPushedBecause ? ", since " + mongo.notPushedBecause : ""}`;
	text(byId("mongo"), mongo.silentMillis === null ? "MongoDB answers and " + changes
		: `MongoDB has not answered for ${Math.round(mongo.silentMillis / 1000)} s: ${mongo.reason}`);
};

const show = () => {
	const { instance, elections, price } = overview;
	const history = overview.history;
	const now = Date.parse(overview.now);
	if (history) {
		remember(history.instances);
		showTimeline(elections, history, now);
		showChanges(history.terms);
	}
	showInstances(instance, now);
	showElections(overview, now, { steer, resign, pause, run });
	showMongo(overview.mongo);
	announceChanges(elections);
	text(byId("price"), price === null ? "connected on its leader only" : String(price));
	document.title = elections.some((election) => election.leadsHere) ? "Leads – Who leads?" : "Follows – Who leads?";
	text(byId("connection-text"), "Live from " + name(instance));
	complain(overview.mongo.silentMillis === null ? "" : "MongoDB does not answer. Leaders continue until their last heartbeat runs out.");
};

/** Show what is wrong, with links to other instances. */
const complain = (message, links = []) => {
	const trouble = byId("trouble");
	if (trouble.dataset.message === message) {
		return;
	}
	trouble.dataset.message = message;
	trouble.replaceChildren(message);
	links.forEach((instance) => {
		const link = document.createElement("a");
		link.href = instance.address;
		link.textContent = "Instance " + instance.number;
		trouble.append(" ", link);
	});
	trouble.hidden = !message;
};

const live = (yes) => {
	byId("connection").dataset.state = yes ? "live" : "lost";
	document.body.classList.toggle("stale", !yes);
};

const lost = () => {
	live(false);
	const self = overview ? name(overview.instance) : "This instance";
	const elsewhere = overview ? others(overview.instance, Date.parse(overview.now)) : [];
	text(byId("connection-text"), "Trying again");
	complain(`${self} does not answer.` + (elsewhere.length ? " Continue with" : ""), elsewhere);
};

let source;
let silence;

const listen = () => {
	source?.close();
	source = new EventSource("api/elections/live");
	source.onmessage = (event) => {
		overview = JSON.parse(event.data);
		live(true);
		show();
		expect();
	};
	source.onerror = lost;
	expect();
};

/** Reconnect if nothing arrives for too long, for whatever reason. */
const expect = () => {
	clearTimeout(silence);
	silence = setTimeout(() => {
		lost();
		listen();
	}, PATIENCE);
};

listen();
