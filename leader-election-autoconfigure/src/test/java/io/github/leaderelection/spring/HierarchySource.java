package io.github.leaderelection.spring;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A made-up class with its superclasses and interfaces, drawn from one seed: in two
 * packages, of all visibilities, with generics, bridges, default methods, covariant
 * results and annotations anywhere. Some do not compile.
 */
final class HierarchySource {

	private static final String ANNOTATION = "@io.github.leaderelection.LeaderOnly(\"e\") ";

	private static final List<String> RESULTS = List.of("Object", "CharSequence", "String");

	private static final List<String> BOUNDS = List.of("T", "T extends CharSequence",
			"T extends CharSequence & Comparable<T>");

	private final Random random;

	private final String root;

	private final String bound;

	private final Map<String, String> sources = new LinkedHashMap<>();

	private final List<Type> classes = new ArrayList<>();

	private final List<Type> interfaces = new ArrayList<>();

	/** What is declared, to keep most of it valid: methods by signature. */
	private final Map<String, Declared> declared = new LinkedHashMap<>();

	HierarchySource(long seed) {
		this.random = new Random(seed);
		this.root = "h" + Long.toUnsignedString(seed, 36);
		this.bound = BOUNDS.get(this.random.nextInt(BOUNDS.size()));
		int annotations = this.random.nextInt(10);
		makeInterfaces();
		makeClasses();
		for (Type type : this.interfaces) {
			write(type, annotations);
		}
		for (Type type : this.classes) {
			write(type, annotations);
		}
	}

	/** The name of the class that is the bean's. */
	String beanClass() {
		return this.classes.get(this.classes.size() - 1).name();
	}

	/** The source of each class by its name. */
	Map<String, String> sources() {
		return this.sources;
	}

	@Override
	public String toString() {
		return String.join("\n", this.sources.values());
	}

	private void makeInterfaces() {
		int count = this.random.nextInt(4);
		for (int i = 0; i < count; i++) {
			Type type = new Type("I" + i, true);
			type.extended.addAll(some(this.interfaces, type));
			this.interfaces.add(type);
		}
	}

	private void makeClasses() {
		int count = 1 + this.random.nextInt(4);
		for (int i = 0; i < count; i++) {
			Type type = new Type("C" + i, false);
			if (i > 0) {
				Type superclass = this.classes.get(i - 1);
				type.superclass = superclass;
				if (!superclass.isPublic && !superclass.inPackage.equals(type.inPackage)) {
					type.inPackage = superclass.inPackage;
				}
				if (!superclass.generic) {
					type.generic = false;
				}
			}
			type.extended.addAll(some(this.interfaces, type));
			this.classes.add(type);
		}
		Type bean = this.classes.get(count - 1);
		bean.generic = false;
		// Anything that is abstract has to be done by somebody, anywhere above.
		bean.isLast = true;
	}

	private List<Type> some(List<Type> from, Type by) {
		List<Type> chosen = new ArrayList<>();
		for (Type type : from) {
			if (this.random.nextBoolean() && (type.isPublic || type.inPackage.equals(by.inPackage))) {
				chosen.add(type);
			}
		}
		return chosen;
	}

	private void write(Type type, int annotations) {
		StringBuilder source = new StringBuilder("package " + type.inPackage + ";\n");
		if (this.random.nextInt(60) < annotations) {
			source.append(ANNOTATION);
		}
		source.append(type.isPublic ? "public " : "")
			.append(type.isInterface ? "interface " : type.isLast ? "class " : "abstract class ")
			.append(type.simpleName)
			.append(type.generic ? "<" + this.bound + ">" : "")
			.append(superclassOf(type))
			.append(interfacesOf(type))
			.append(" {\n");
		List<String> signatures = new ArrayList<>(List.of("m()", "r()", "g(T)", "o(String)", "o(Object)", "p()"));
		for (String signature : signatures) {
			if (this.random.nextInt(5) < 2) {
				method(type, signature, annotations, source);
			}
		}
		if (type.isLast) {
			implementWhatIsMissing(type, annotations, source);
		}
		this.sources.put(type.name(), source.append("}\n").toString());
	}

	private String superclassOf(Type type) {
		return (type.superclass != null) ? " extends " + type.superclass.name() + argument(type.superclass, type) : "";
	}

	private String interfacesOf(Type type) {
		List<String> names = type.extended.stream().map((other) -> other.name() + argument(other, type)).toList();
		return names.isEmpty() ? "" : (type.isInterface ? " extends " : " implements ") + String.join(", ", names);
	}

	private String argument(Type generic, Type by) {
		if (!generic.generic) {
			return "";
		}
		return by.generic ? "<T>" : "<String>";
	}

	private void method(Type type, String signature, int annotations, StringBuilder source) {
		Declared before = this.declared.get(signature);
		String name = signature.substring(0, signature.indexOf('('));
		boolean isAbstract = !type.isLast
				&& (type.isInterface ? this.random.nextBoolean() : this.random.nextInt(8) == 0);
		int visibility = type.isInterface ? 3 : visibility(signature, before, isAbstract);
		int result = signature.equals("r()") ? result(before, type) : 0;
		boolean isFinal = !type.isInterface && !isAbstract && this.random.nextInt(type.isLast ? 25 : 80) == 0;
		if (this.random.nextInt(12) < annotations) {
			source.append(ANNOTATION);
		}
		String parameter = signature.contains("T") ? (type.generic ? "T a" : "String a")
				: signature.endsWith("()") ? "" : signature.substring(signature.indexOf('(') + 1).replace(")", " a");
		source.append("\t").append(switch (visibility) {
			case 3 -> type.isInterface ? "" : "public ";
			case 2 -> "protected ";
			case 1 -> "";
			default -> "private ";
		})
			.append(isFinal ? "final " : "")
			.append(isAbstract && !type.isInterface ? "abstract " : "")
			.append(type.isInterface && !isAbstract ? "default " : "")
			.append(RESULTS.get(result))
			.append(" ")
			.append(name)
			.append("(")
			.append(parameter)
			.append(")")
			.append(isAbstract ? ";\n" : body(type, signature));
		if (visibility > 0) {
			this.declared.put(signature,
					new Declared((before != null) ? Math.max(before.visibility, visibility) : visibility,
							(before != null) ? Math.max(before.result, result) : result,
							!isAbstract && (!type.isInterface || (before != null && before.done)),
							type.isInterface || (before != null && before.byInterface)));
		}
	}

	private static String body(Type type, String signature) {
		return " { io.github.leaderelection.spring.HierarchyCalls.ran(\"" + type.simpleName + "." + signature
				+ "\"); return \"ran\"; }\n";
	}

	private int visibility(String signature, Declared before, boolean isAbstract) {
		if (this.random.nextInt(30) == 0 && !isAbstract && before == null) {
			return 0;
		}
		int least = (before == null) ? 1 : before.byInterface ? 3 : before.visibility;
		if (signature.equals("p()") && least < 3) {
			// For those that are package-private in one package, and something else in
			// the other
			return (this.random.nextInt(3) > 0) ? 1 : 1 + this.random.nextInt(3);
		}
		return Math.max(least, (this.random.nextInt(3) == 0) ? 1 + this.random.nextInt(3) : 3);
	}

	private int result(Declared before, Type type) {
		int least = (before != null && !type.isInterface) ? before.result : 0;
		return least + this.random.nextInt(RESULTS.size() - least);
	}

	private void implementWhatIsMissing(Type type, int annotations, StringBuilder source) {
		for (Map.Entry<String, Declared> entry : List.copyOf(this.declared.entrySet())) {
			if (!entry.getValue().done && source.indexOf("." + entry.getKey()) == -1) {
				method(type, entry.getKey(), annotations, source);
			}
		}
	}

	/** How a method is declared in what was written so far. */
	private record Declared(int visibility, int result, boolean done, boolean byInterface) {

	}

	private final class Type {

		private final String simpleName;

		private final boolean isInterface;

		private final boolean isPublic = HierarchySource.this.random.nextInt(3) > 0;

		private final List<Type> extended = new ArrayList<>();

		private String inPackage = HierarchySource.this.root
				+ (HierarchySource.this.random.nextInt(3) == 0 ? ".b" : ".a");

		private boolean generic = HierarchySource.this.random.nextBoolean();

		private boolean isLast;

		private Type superclass;

		Type(String simpleName, boolean isInterface) {
			this.simpleName = simpleName;
			this.isInterface = isInterface;
		}

		String name() {
			return this.inPackage + "." + this.simpleName;
		}

	}

}
