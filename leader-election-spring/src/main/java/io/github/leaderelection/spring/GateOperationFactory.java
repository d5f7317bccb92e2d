package io.github.leaderelection.spring;

import io.github.leaderelection.LeaderOnly.Otherwise;
import io.github.leaderelection.engine.ElectionNames;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;
import org.springframework.util.StringValueResolver;

/**
 * Makes the {@link GateOperation} of a method, or says why there is none.
 */
final class GateOperationFactory {

	private static final boolean REACTOR_PRESENT = ClassUtils.isPresent("reactor.core.publisher.Flux",
			GateOperationFactory.class.getClassLoader());

	private final GateSettings settings;

	private final StringValueResolver placeholders;

	private final LeaderOnlyCallers callers = new LeaderOnlyCallers();

	private final RecordedMethodFactory recordedMethods;

	private final FencedMethods fencedMethods;

	/**
	 * Create a factory.
	 * @param settings how the gate works
	 * @param placeholders replaces placeholders in election names, and throws
	 * {@link IllegalArgumentException} if it can't
	 * @param fencedMethods has the fence for methods that ask for one
	 */
	GateOperationFactory(GateSettings settings, StringValueResolver placeholders, FencedMethods fencedMethods) {
		this.settings = settings;
		this.placeholders = placeholders;
		this.fencedMethods = fencedMethods;
		this.recordedMethods = new RecordedMethodFactory(placeholders);
	}

	/**
	 * Make the operation of a method.
	 * @param method the method
	 * @return its operation
	 * @throws InvalidLeaderOnlyException if the method can't be gated
	 */
	GateOperation create(LeaderOnlyMethod method) {
		LeaderOnlyRules.requireGateable(method);
		this.callers.check(method);
		ResolvableType returnType = method.returnType();
		ReactiveAdapter adapter = adapterFor(method, returnType.toClass());
		SkippedResult skippedResult = null;
		if (method.annotation().otherwise() == Otherwise.SKIP) {
			skippedResult = skippedResult(method, returnType, adapter);
		}
		String election = election(method);
		return new GateOperation(method.shortName(), election,
				method.annotation().interrupt() && this.settings.interruptOnLoss(), skippedResult,
				(adapter != null) ? reactive(method, adapter) : null,
				(adapter != null) ? FencedCalls.NONE : fence(method), this.recordedMethods.create(method, election));
	}

	private FencedCalls fence(LeaderOnlyMethod method) {
		return isFenced(method) ? this.fencedMethods.add(method) : FencedCalls.NONE;
	}

	private static GateReactive reactive(LeaderOnlyMethod method, ReactiveAdapter adapter) {
		if (method.annotation().fenced()) {
			throw method.invalidAttribute("reactive transactions can't be fenced by the annotation",
					"Remove fenced, and pass a ReactiveTermFence in each transaction");
		}
		return new GateReactive(adapter);
	}

	/** A process that leads all by itself has terms that mean nothing to others. */
	private boolean isFenced(LeaderOnlyMethod method) {
		return method.annotation().fenced() && this.settings.mode() == GateMode.ENFORCED;
	}

	private static @Nullable ReactiveAdapter adapterFor(LeaderOnlyMethod method, Class<?> returnType) {
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(returnType);
		// What runs without being subscribed to is gated when called.
		if (adapter == null || !adapter.getDescriptor().isDeferred()) {
			return null;
		}
		if (!REACTOR_PRESENT) {
			throw method.invalid("%s is gated by means of Reactor, which is missing".formatted(returnType.getName()),
					"Add io.projectreactor:reactor-core to the class path");
		}
		if (!returnType.isAssignableFrom(adapter.getReactiveType())) {
			throw method.invalid("the gate can't make a %s".formatted(returnType.getName()),
					"Let the method return %s".formatted(adapter.getReactiveType().getSimpleName()));
		}
		return adapter;
	}

	private static SkippedResult skippedResult(LeaderOnlyMethod method, ResolvableType returnType,
			@Nullable ReactiveAdapter adapter) {
		if (adapter != null && adapter.getDescriptor().supportsEmpty()) {
			return () -> null;
		}
		SkippedResult result = (adapter != null) ? null : SkippedResult.of(returnType);
		if (result == null) {
			Class<?> type = returnType.toClass();
			throw method.invalid("a skipped call has no %s to return".formatted(type.getTypeName()),
					method.direct() ? "Return %s, or use otherwise = THROW".formatted(alternative(type))
							: "Annotate the methods of the class one by one, or use otherwise = THROW");
		}
		return result;
	}

	private static String alternative(Class<?> returnType) {
		if (returnType.isPrimitive()) {
			return "void or Optional";
		}
		return "CompletableFuture";
	}

	private String election(LeaderOnlyMethod method) {
		String value = method.annotation().value();
		if (value.isEmpty()) {
			return defaultElection(method);
		}
		String name;
		try {
			name = this.placeholders.resolveStringValue(value);
		}
		catch (IllegalArgumentException ex) {
			throw method.invalid(
					ElectionNames
						.printable("election name '%s' can't be resolved: %s".formatted(value, ex.getMessage())),
					"Set the property, or give the placeholder a default as in ${name:default}");
		}
		return requireValid(method, (name != null) ? name : "",
				"Change the annotation's value '" + ElectionNames.printable(value) + "'");
	}

	private String defaultElection(LeaderOnlyMethod method) {
		String name = this.settings.defaultElection();
		if (!StringUtils.hasText(name)) {
			throw method.invalid("it names no election and there is no default one",
					"Name the election in the annotation, or set leader-election.default-election "
							+ "or spring.application.name");
		}
		return requireValid(method, name, "Change leader-election.default-election");
	}

	private static String requireValid(LeaderOnlyMethod method, String name, String remedy) {
		try {
			return ElectionNames.requireNoExpression(ElectionNames.requireValid(name));
		}
		catch (IllegalArgumentException ex) {
			throw method.invalid(String.valueOf(ex.getMessage()), remedy);
		}
	}

}
