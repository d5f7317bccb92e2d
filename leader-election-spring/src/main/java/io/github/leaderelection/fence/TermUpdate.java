package io.github.leaderelection.fence;

import java.util.List;

import org.bson.Document;

import org.springframework.data.mongodb.core.query.UpdateDefinition;

/**
 * An update that notes the term, too.
 *
 * @param update the update
 * @param field the field for the term
 * @param term the term
 */
record TermUpdate(UpdateDefinition update, String field, long term) implements UpdateDefinition {

	private static final String SET = "$set";

	TermUpdate {
		if (update.getUpdateObject().keySet().stream().anyMatch((operator) -> !operator.startsWith("$"))) {
			throw new IllegalArgumentException("A pipeline, or a document, is no update that can be fenced. "
					+ "Use operators, or replace the document");
		}
		if (update.modifies(field)) {
			throw new IllegalArgumentException(
					"The update changes '%s', which holds the term. Name another field for that".formatted(field));
		}
	}

	@Override
	public Document getUpdateObject() {
		Document operators = new Document(this.update.getUpdateObject());
		Document fields = new Document(operators.get(SET, new Document()));
		operators.put(SET, fields.append(this.field, this.term));
		return operators;
	}

	@Override
	public boolean modifies(String key) {
		return key.equals(this.field) || this.update.modifies(key);
	}

	@Override
	public UpdateDefinition inc(String key) {
		return new TermUpdate(this.update.inc(key), this.field, this.term);
	}

	@Override
	public boolean isIsolated() {
		return this.update.isIsolated();
	}

	@Override
	public List<ArrayFilter> getArrayFilters() {
		return this.update.getArrayFilters();
	}

}
