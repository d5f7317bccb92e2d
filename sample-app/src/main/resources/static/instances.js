import { byId, keyed, text } from "./dom.js";

const COLOURS = 8;

let known = new Map();

export const remember = (instances) => {
	known = new Map(instances.map((instance) => [instance.candidate, instance]));
};

export const name = (candidate) => known.has(candidate) ? "Instance " + known.get(candidate).number : "Another instance";

export const number = (candidate) => String(known.get(candidate)?.number ?? "?");

/** Give the element and its content the color of an instance. */
export const paint = (element, candidate) => {
	const instance = known.get(candidate);
	const colour = instance ? `var(--instance-${(instance.number - 1) % COLOURS + 1})` : "var(--soft)";
	element.style.setProperty("--instance", colour);
};

export const badge = (element, candidate) => {
	paint(element, candidate);
	text(element, number(candidate));
};

export const isAlive = (instance, now) => !instance.stoppedAt && now - Date.parse(instance.seenAt) < 3500;

/** The instances that are running, or were last seen in the past 30 seconds. */
export const present = (now) => [...known.values()].filter((instance) => isAlive(instance, now)
	|| now - Date.parse(instance.stoppedAt ?? instance.seenAt) < 30_000);

export const others = (self, now) => present(now).filter((instance) => isAlive(instance, now) && instance.candidate !== self);

const ago = (time, now) => `${Math.max(0, Math.round((now - Date.parse(time)) / 1000))} s ago`;

const state = (instance, self, now) => {
	if (instance.stoppedAt) {
		return "stopped " + ago(instance.stoppedAt, now);
	}
	if (!isAlive(instance, now)) {
		return "silent, last seen " + ago(instance.seenAt, now);
	}
	return (Object.values(instance.roles).includes("PAUSED") ? "paused, " : "") + `pid ${instance.pid}` + (instance.candidate === self ? ", this page" : "");
};

export const showInstances = (self, now) => keyed(byId("instances"), "instance-template", present(now),
	(instance) => instance.candidate, (element, instance) => {
		const alive = isAlive(instance, now);
		element.classList.toggle("gone", !alive);
		element.classList.toggle("here", instance.candidate === self);
		badge(element.querySelector(".badge"), instance.candidate);
		paint(element, instance.candidate);
		const link = element.querySelector(".name");
		text(link, "Instance " + instance.number);
		if (alive && instance.candidate !== self) {
			link.href = instance.address;
		}
		else {
			link.removeAttribute("href");
		}
		text(element.querySelector(".state"), state(instance, self, now));
		text(element.querySelector(".identity"), `${instance.host}, ${instance.version ? "version " + instance.version : "no version"}, ${instance.candidate}`);
	});
