package io.github.leaderelection.mongodb;

import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Projections;
import io.github.leaderelection.store.StoredText;
import org.bson.RawBsonDocument;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;

/**
 * Finds out why the lease of an election is neither there nor can be created: a
 * collection that somebody has created with a collation may take two names for one.
 */
final class NameClashes {

	private static final Bson ID_ONLY = Projections.include(LeaseDocument.ID);

	/** Elections whose lease is there already, as was said when it was to be created. */
	private final Set<String> suspects = ConcurrentHashMap.newKeySet();

	void suspect(Collection<String> elections) {
		this.suspects.addAll(elections);
	}

	void forget(String election) {
		this.suspects.remove(election);
	}

	/**
	 * Return what is in the way of the lease of an election that was not found, in words,
	 * {@code null} if nothing is.
	 */
	@Nullable String find(MongoCall call, String election) {
		if (!this.suspects.contains(election)) {
			return null;
		}
		String name = call
			.run("read 1 leases", "find",
					(collection) -> Optional
						.ofNullable(collection.find(Filters.eq(LeaseDocument.ID, election), RawBsonDocument.class)
							.projection(ID_ONLY)
							.first()))
			.map((document) -> StoredDocument.whole(document, LeaseDocument.LIMIT).id())
			.orElse(null);
		if (name == null || name.equals(election)) {
			this.suspects.remove(election);
			return null;
		}
		return "'%s' must be told from '%s' but is the same by the collation of '%s'. ".formatted(election,
				StoredText.printable(name), call.collection())
				+ "Create the collection anew without a collation, or use another name";
	}

}
