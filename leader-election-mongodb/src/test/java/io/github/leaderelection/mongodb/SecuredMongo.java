package io.github.leaderelection.mongodb;

import java.util.List;
import java.util.Map;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.launcher.MongoReplicaSet;
import org.bson.Document;

/**
 * A replica set whose clients must authenticate, with an administrator who can create
 * users and change what they may do.
 */
public final class SecuredMongo implements AutoCloseable {

	private static final String ROOT_PASSWORD = "root-password";

	private final MongoReplicaSet replicaSet = MongoReplicaSet.startWithAuthorization(1);

	private final MongoClient root;

	public SecuredMongo() {
		try (MongoClient first = MongoClients.create(this.replicaSet.uri())) {
			// On the same machine, the first user needs no authentication.
			first.getDatabase("admin")
				.runCommand(new Document("createUser", "root").append("pwd", ROOT_PASSWORD)
					.append("roles", List.of("root")));
		}
		this.root = MongoClients.create(uri("root", ROOT_PASSWORD, "admin"));
	}

	public String uri(String user, String password, String database) {
		return this.replicaSet.uri(database).replace("mongodb://", "mongodb://%s:%s@".formatted(user, password))
				+ "&authSource=admin";
	}

	/** Create a user that may do nothing yet. */
	public void createUser(String user, String password) {
		admin().runCommand(
				new Document("createRole", role(user)).append("privileges", List.of()).append("roles", List.of()));
		admin()
			.runCommand(new Document("createUser", user).append("pwd", password).append("roles", List.of(role(user))));
	}

	public void changePassword(String user, String password) {
		admin().runCommand(new Document("updateUser", user).append("pwd", password));
	}

	/** Allow the user only this from now on. */
	public void allow(String user, String database, Map<String, List<String>> actionsByCollection) {
		List<Document> privileges = actionsByCollection.entrySet()
			.stream()
			.filter((entry) -> !entry.getValue().isEmpty())
			.map((entry) -> new Document("resource", new Document("db", database).append("collection", entry.getKey()))
				.append("actions", entry.getValue()))
			.toList();
		admin().runCommand(new Document("updateRole", role(user)).append("privileges", privileges));
	}

	public MongoDatabase database(String name) {
		return this.root.getDatabase(name);
	}

	public MongoReplicaSet replicaSet() {
		return this.replicaSet;
	}

	@Override
	public void close() {
		this.root.close();
		this.replicaSet.close();
	}

	private MongoDatabase admin() {
		return this.root.getDatabase("admin");
	}

	private static String role(String user) {
		return user + "-role";
	}

}
