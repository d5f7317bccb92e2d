package io.github.leaderelection.spring;

import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.github.leaderelection.LeaderOnly.Otherwise;
import io.github.leaderelection.spring.bound.AnnotationValues;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringValueResolver;

/**
 * The gates of all kinds of beans, each made when the first bean of its kind is.
 */
final class GateAdvisors {

	private static final Logger logger = LoggerFactory.getLogger(GateAdvisors.class);

	private static final boolean REACTOR_PRESENT = ClassUtils.isPresent("reactor.core.publisher.Flux",
			GateAdvisors.class.getClassLoader());

	private final GateServices services;

	private final AnnotationValues values;

	private final RecordedMethodFactory recordedMethods;

	private final Map<List<Class<?>>, List<LeaderOnlyMethod>> methods = new ConcurrentHashMap<>();

	private final Map<List<Class<?>>, GateAdvisor> advisors = new ConcurrentHashMap<>();

	private final Set<Method> warned = ConcurrentHashMap.newKeySet();

	/**
	 * Create gates.
	 * @param services what all gates ask for
	 * @param placeholders replaces placeholders in election names, and throws
	 * {@link IllegalArgumentException} if it can't
	 */
	GateAdvisors(GateServices services, StringValueResolver placeholders) {
		this.services = services;
		this.values = new AnnotationValues(placeholders, services.settings().defaultElection());
		this.recordedMethods = new RecordedMethodFactory(this.values);
	}

	/**
	 * Return what is to be gated.
	 * @param types the types of a bean, see {@link LeaderOnlyMethods}
	 * @return the methods to which {@code @LeaderOnly} applies
	 */
	List<LeaderOnlyMethod> methodsOf(List<Class<?>> types) {
		return this.methods.computeIfAbsent(types, LeaderOnlyMethods::in);
	}

	/**
	 * Return the gate of a bean, and stand in the elections it names.
	 * @param types the types of the bean
	 * @return the gate, or {@code null} when there is nothing to gate
	 * @throws InvalidLeaderOnlyException if something can't be gated
	 */
	@Nullable GateAdvisor find(List<Class<?>> types) {
		if (methodsOf(types).isEmpty()) {
			return null;
		}
		GateAdvisor advisor = this.advisors.get(types);
		if (advisor != null) {
			return advisor;
		}
		advisor = create(types);
		// In every mode, so that whoever asks about these elections finds them known.
		advisor.elections().forEach(this.services::stand);
		return Optional.ofNullable(this.advisors.putIfAbsent(types, advisor)).orElse(advisor);
	}

	/** Return a gate that stands before no method. */
	GateAdvisor none() {
		return create(List.of());
	}

	private GateAdvisor create(List<Class<?>> types) {
		List<LeaderOnlyMethod> gated = methodsOf(types);
		Map<Method, GateOperation> operations = new HashMap<>();
		for (LeaderOnlyMethod method : gated) {
			try {
				GateOperation operation = operation(method);
				method.declarations().forEach((declaration) -> operations.putIfAbsent(declaration, operation));
			}
			catch (InvalidLeaderOnlyException ex) {
				if (!MethodCallers.isIncidental(method)) {
					throw ex;
				}
			}
		}
		RecordedMethodFactory.requireScheduled(gated);
		return new GateAdvisor(types, gated, operations, this.services);
	}

	private GateOperation operation(LeaderOnlyMethod method) {
		LeaderOnlyRules.requireGateable(method);
		warn(method);
		ResolvableType returnType = method.returnType();
		ReactiveAdapter adapter = adapterFor(method, returnType.toClass());
		SkippedResult skippedResult = (method.annotation().otherwise() == Otherwise.SKIP)
				? skippedResult(method, returnType, adapter) : null;
		String election = this.values.election(method.annotation(), method::invalid);
		return new GateOperation(method.shortName(), election,
				method.annotation().interrupt() && this.services.settings().interruptOnLoss(), skippedResult, adapter,
				(adapter != null) ? FencedCalls.NONE : fence(method), this.recordedMethods.create(method, election));
	}

	private void warn(LeaderOnlyMethod method) {
		boolean refused = method.annotation().otherwise() == Otherwise.THROW;
		if (!refused && MethodCallers.handlesRequests(method) && this.warned.add(method.method())) {
			logger.warn("{} handles web requests, and is skipped while this instance does not lead: the client "
					+ "usually receives status 200, as if all were done. To let it try again, use otherwise = THROW",
					method.shortName());
		}
		if (refused && ScheduledDeclaration.of(method) != null && this.warned.add(method.method())) {
			logger.warn(
					"{} is scheduled, and refused with an exception while this instance does not lead: "
							+ "each time, an error is logged. To skip it without a word, leave out otherwise = THROW",
					method.shortName());
		}
	}

	/** A process that leads all by itself has terms that mean nothing to others. */
	private FencedCalls fence(LeaderOnlyMethod method) {
		if (!method.annotation().fenced() || this.services.settings().mode() != GateMode.ENFORCED) {
			return FencedCalls.NONE;
		}
		this.services.requireFence(method);
		return new FencedCalls(method.shortName(), this.services::fence);
	}

	private static @Nullable ReactiveAdapter adapterFor(LeaderOnlyMethod method, Class<?> returnType) {
		ReactiveAdapter adapter = returnType.isPrimitive() ? null
				: ReactiveAdapterRegistry.getSharedInstance().getAdapter(returnType);
		// What runs without being subscribed to is gated when called.
		if (adapter == null || !adapter.getDescriptor().isDeferred()) {
			return null;
		}
		if (!REACTOR_PRESENT) {
			throw method.invalid("%s is gated by means of Reactor, which is missing".formatted(returnType.getName()),
					"Add io.projectreactor:reactor-core to the class path");
		}
		if (method.annotation().fenced()) {
			throw method.invalidAttribute("reactive transactions can't be fenced by the annotation",
					"Remove fenced, and pass a ReactiveTermFence in each transaction");
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
			String alternative = type.isPrimitive() ? "void or Optional" : "CompletableFuture";
			throw method.invalid("a skipped call has no %s to return".formatted(type.getTypeName()),
					method.direct() ? "Return %s, or use otherwise = THROW".formatted(alternative)
							: "Annotate the methods of the class one by one, or use otherwise = THROW");
		}
		return result;
	}

}
