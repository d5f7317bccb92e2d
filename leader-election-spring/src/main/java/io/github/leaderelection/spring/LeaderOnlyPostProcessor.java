package io.github.leaderelection.spring;

import java.lang.reflect.Modifier;
import java.util.List;

import org.jspecify.annotations.Nullable;

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
 * without AspectJ and auto-proxying. What can't be gated fails the creation of the bean
 * with {@link InvalidLeaderOnlyException}.
 * <p>
 * Comes right after the auto-proxy creators, so that whatever looks at a bean later finds
 * the gated one. Others can still add advice; {@link LeaderOnlyVerifier} comes last and
 * puts the gate back into its place.
 */
public final class LeaderOnlyPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {

	private static final long serialVersionUID = 1L;

	private final transient GateAdvisors advisors;

	private final transient JobScheduling jobs;

	/**
	 * Create a post-processor. Nothing but beans without further dependencies may be
	 * given to it, since it is made before all others.
	 * @param services what all gates ask for
	 * @param placeholders replaces placeholders in election names, and throws
	 * {@link IllegalArgumentException} if one can't be resolved
	 * @param jobs is told of the methods whose scheduled runs are recorded
	 */
	public LeaderOnlyPostProcessor(GateServices services, StringValueResolver placeholders, JobScheduling jobs) {
		this.advisors = new GateAdvisors(services, placeholders);
		this.jobs = jobs;
		// Stands for the gate of whichever bean is proxied, see customizeProxyFactory.
		this.advisor = this.advisors.none();
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
		// Before anybody can schedule the methods.
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
					isFinal ? "a final class has no proxy" : "the class has no proxy: " + ex.getMessage(),
					(bean.getClass().isRecord() ? "Use a class in place of the record"
							: isFinal ? "Remove final; in Kotlin make the class open" : "Change the class")
							+ ". Or let it implement an interface that has its annotated methods, "
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
			// Asked for the class of a proxy, ahead of time: there is no configuration
			// yet.
			return;
		}
		GateAdvisor gate = this.advisors.find(LeaderOnlyMethods.typesOf(targetClass));
		if (gate != null && this.advisor != null) {
			proxyFactory.replaceAdvisor(this.advisor, gate);
		}
	}

	/** Return the methods of a class that are to be gated. */
	List<LeaderOnlyMethod> methodsOf(Class<?> beanClass) {
		return this.advisors.methodsOf(LeaderOnlyMethods.typesOf(beanClass));
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
		if (bean instanceof AopInfrastructureBean && !(bean instanceof Advised)
				&& !this.advisors.methodsOf(types).isEmpty()) {
			throw InvalidLeaderOnlyException.ofBean(beanName, bean.getClass(),
					"a bean that is an AopInfrastructureBean is not to be proxied", "Remove the interface");
		}
		if (bean instanceof AopInfrastructureBean
				|| beanName.endsWith(AutowireCapableBeanFactory.ORIGINAL_INSTANCE_SUFFIX)) {
			// A scoped proxy leads to a bean with a gate.
			return null;
		}
		return this.advisors.find(types);
	}

}
