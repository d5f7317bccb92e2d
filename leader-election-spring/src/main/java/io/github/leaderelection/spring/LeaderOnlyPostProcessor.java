package io.github.leaderelection.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
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

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopConfigException;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.target.EmptyTargetSource;
import org.springframework.beans.factory.config.AutowireCapableBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.util.StringValueResolver;

/**
 * Puts the gate in front of {@link io.github.leaderelection.LeaderOnly} methods, with or
 * without AspectJ and auto-proxying. If a method can't be gated, the creation of the bean
 * fails with {@link InvalidLeaderOnlyException}.
 * <p>
 * Runs right after the auto-proxy creators, so that later post-processors see the gated
 * bean. They can still add advice; {@link LeaderOnlyVerifier} runs last and moves the
 * gate back to its place.
 */
public final class LeaderOnlyPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {

	private static final long serialVersionUID = 1L;

	private static final Logger logger = LoggerFactory.getLogger(LeaderOnlyPostProcessor.class);

	private final transient GateServices services;

	private final transient JobScheduling jobs;

	private final transient AnnotationValues values;

	private final transient RecordedMethodFactory recordedMethods;

	private final transient Map<List<Class<?>>, List<LeaderOnlyMethod>> methods = new ConcurrentHashMap<>();

	private final transient Map<List<Class<?>>, GateAdvisor> advisors = new ConcurrentHashMap<>();

	private final transient Set<Method> warned = ConcurrentHashMap.newKeySet();

	/**
	 * Create a post-processor. It is created before all other beans, so its arguments
	 * must not have further dependencies.
	 * @param services the services that all gates use
	 * @param placeholders replaces placeholders in election names, and throws
	 * {@link IllegalArgumentException} if one can't be resolved
	 * @param jobs registers the methods whose scheduled runs are recorded
	 */
	public LeaderOnlyPostProcessor(GateServices services, StringValueResolver placeholders, JobScheduling jobs) {
		this.services = services;
		this.jobs = jobs;
		this.values = new AnnotationValues(placeholders, services.settings().defaultElection());
		this.recordedMethods = new RecordedMethodFactory(this.values);
		// A placeholder for the gate of each bean, see customizeProxyFactory.
		this.advisor = new GateAdvisor(List.of(), List.of(), Map.of(), services);
		setProxyTargetClass(services.settings().proxyTargetClass());
		setOrder(Ordered.HIGHEST_PRECEDENCE + 100);
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		GateAdvisor gate = findGate(bean, beanName);
		if (gate == null) {
			return bean;
		}
		Object proxy = bean;
		if (bean instanceof Advised advised && !advised.isFrozen()) {
			gate.placeIn(advised);
		}
		else {
			proxy = createProxy(bean, beanName);
		}
		gate.requireIntercepted(proxy);
		// Before the methods can be scheduled.
		this.jobs.add(gate.recorded(), proxy, beanName);
		return proxy;
	}

	private Object createProxy(Object bean, String beanName) {
		try {
			return super.postProcessAfterInitialization(bean, beanName);
		}
		catch (AopConfigException ex) {
			boolean isFinal = Modifier.isFinal(bean.getClass().getModifiers());
			throw new InvalidLeaderOnlyException(bean.getClass().getName(),
					isFinal ? "a final class can't be proxied" : "the class can't be proxied: " + ex.getMessage(),
					(bean.getClass().isRecord() ? "Use a class in place of the record"
							: isFinal ? "Remove final; in Kotlin make the class open" : "Change the class")
							+ ". Or let it implement an interface that declares its annotated methods, "
							+ "and set spring.aop.proxy-target-class=false",
					ex);
		}
	}

	@Override
	protected boolean isEligible(Class<?> targetClass) {
		return !methodsOf(targetClass).isEmpty();
	}

	@Override
	protected void customizeProxyFactory(ProxyFactory proxyFactory) {
		Class<?> targetClass = proxyFactory.getTargetClass();
		if (targetClass == null || proxyFactory.getTargetSource() instanceof EmptyTargetSource) {
			// Called ahead of time for the class of a proxy: there is no configuration
			// yet.
			return;
		}
		GateAdvisor gate = find(LeaderOnlyMethods.typesOf(targetClass));
		if (gate != null && this.advisor != null) {
			proxyFactory.replaceAdvisor(this.advisor, gate);
		}
	}

	/** Return the methods of a class that are to be gated. */
	List<LeaderOnlyMethod> methodsOf(Class<?> beanClass) {
		return methodsOf(LeaderOnlyMethods.typesOf(beanClass));
	}

	/**
	 * Find the gate of a bean.
	 * @param bean the bean, proxied or not
	 * @param beanName its name
	 * @return the gate, or {@code null} if the bean needs none
	 * @throws InvalidLeaderOnlyException if it needs one and can't have it
	 */
	@Nullable GateAdvisor findGate(Object bean, String beanName) {
		List<Class<?>> types = LeaderOnlyMethods.typesOf(bean);
		if (bean instanceof AopInfrastructureBean && !(bean instanceof Advised) && !methodsOf(types).isEmpty()) {
			throw InvalidLeaderOnlyException.ofBean(beanName, bean.getClass(),
					"Spring does not proxy a bean that implements AopInfrastructureBean", "Remove the interface");
		}
		if (bean instanceof AopInfrastructureBean
				|| beanName.endsWith(AutowireCapableBeanFactory.ORIGINAL_INSTANCE_SUFFIX)) {
			// A scoped proxy delegates to a bean with a gate.
			return null;
		}
		return find(types);
	}

	private List<LeaderOnlyMethod> methodsOf(List<Class<?>> types) {
		return this.methods.computeIfAbsent(types, LeaderOnlyMethods::in);
	}

	/**
	 * Return the gate of all beans of these types, or {@code null} if they need none, and
	 * stand in the elections of the gate.
	 */
	private @Nullable GateAdvisor find(List<Class<?>> types) {
		if (methodsOf(types).isEmpty()) {
			return null;
		}
		GateAdvisor advisor = this.advisors.get(types);
		if (advisor != null) {
			return advisor;
		}
		advisor = create(types);
		// In every mode, so that these elections are known to code that asks about them.
		advisor.elections().forEach(this.services::stand);
		return Optional.ofNullable(this.advisors.putIfAbsent(types, advisor)).orElse(advisor);
	}

	private GateAdvisor create(List<Class<?>> types) {
		List<LeaderOnlyMethod> gated = methodsOf(types);
		Map<Method, GateOperation> operations = new HashMap<>();
		for (LeaderOnlyMethod method : gated) {
			try {
				LeaderOnlyRules.requireGateable(method);
				warn(method);
				GateOperation operation = GateOperation.of(method, this.services, this.values, this.recordedMethods);
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

	private void warn(LeaderOnlyMethod method) {
		boolean refused = method.annotation().otherwise() == Otherwise.THROW;
		if (!refused && MethodCallers.handlesRequests(method) && this.warned.add(method.method())) {
			logger.warn("{} handles web requests, and is skipped while this instance does not lead: the client "
					+ "usually receives status 200, as if the request had been handled. To have it sent again, use otherwise = THROW",
					method.shortName());
		}
		if (refused && ScheduledDeclaration.of(method) != null && this.warned.add(method.method())) {
			logger.warn(
					"{} is scheduled, and refused with an exception while this instance does not lead: "
							+ "each time, an error is logged. To skip it silently, remove otherwise = THROW",
					method.shortName());
		}
	}

}
