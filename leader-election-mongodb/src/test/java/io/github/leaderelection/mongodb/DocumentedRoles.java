package io.github.leaderelection.mongodb;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.bson.Document;

/**
 * The content of {@code docs/mongodb-roles.md}: the commands that create the roles, and
 * the table of what each action is for.
 */
public final class DocumentedRoles {

	private static final Path FILE = Path.of("../docs/mongodb-roles.md");

	private static final Pattern COMMAND = Pattern.compile("^db\\.getSiblingDB\\(\"shop\"\\)\\.runCommand\\((.*?)^}\\)",
			Pattern.MULTILINE | Pattern.DOTALL);

	private static final Pattern ROW = Pattern.compile("^\\| `(\\w+)` \\| `(\\w+)` \\| (.+) \\|$", Pattern.MULTILINE);

	private DocumentedRoles() {
	}

	/** Return the commands that create the roles, for the given database. */
	static List<Document> commands(String database) {
		List<Document> commands = new ArrayList<>();
		Matcher matcher = COMMAND.matcher(text());
		while (matcher.find()) {
			commands.add(Document.parse((matcher.group(1) + "}").replace("db: \"shop\"", "db: \"" + database + "\"")));
		}
		return commands;
	}

	/** Return the actions of all roles, by collection. */
	public static Map<String, List<String>> actions() {
		Map<String, List<String>> actions = new LinkedHashMap<>();
		for (Document command : commands("shop")) {
			for (Document privilege : command.getList("privileges", Document.class)) {
				actions.put(privilege.get("resource", Document.class).getString("collection"),
						privilege.getList("actions", String.class));
			}
		}
		return actions;
	}

	/** Return the actions of all roles except one. */
	static Map<String, List<String>> actionsWithout(String collection, String action) {
		Map<String, List<String>> actions = actions();
		actions.compute(collection, (key, all) -> all.stream().filter((each) -> !each.equals(action)).toList());
		return actions;
	}

	/** Return what does not work without each action, by collection and action. */
	static Map<String, String> purposes() {
		Map<String, String> purposes = new HashMap<>();
		Matcher matcher = ROW.matcher(text());
		while (matcher.find()) {
			purposes.put(matcher.group(1) + " " + matcher.group(2), matcher.group(3));
		}
		return purposes;
	}

	private static String text() {
		try {
			return Files.readString(FILE);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
