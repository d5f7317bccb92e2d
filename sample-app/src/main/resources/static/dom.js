/** Small helpers. Elements stay on the page and are changed in place, which keeps the focus and does not disturb screen readers. */

export const byId = (id) => document.getElementById(id);

export const text = (element, value) => {
	if (element.textContent !== value) {
		element.textContent = value;
	}
};

export const create = (tag, className, content = "") => {
	const element = document.createElement(tag);
	element.className = className;
	element.append(content);
	return element;
};

/** Give the list one element for each item, in the same order, created from the template. */
export const keyed = (list, template, items, key, update) => {
	const before = new Map([...list.children].map((element) => [element.dataset.key, element]));
	items.forEach((item, index) => {
		let element = before.get(key(item));
		if (!element) {
			element = byId(template).content.firstElementChild.cloneNode(true);
			element.dataset.key = key(item);
		}
		before.delete(key(item));
		if (list.children[index] !== element) {
			list.insertBefore(element, list.children[index] ?? null);
		}
		update(element, item);
	});
	before.forEach((element) => element.remove());
};
