package io.github.leaderelection.spring;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ApplicationListener;
import org.springframework.context.Lifecycle;
import org.springframework.context.Phased;
import org.springframework.core.Ordered;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.util.ClassUtils;

/**
 * Knows the methods that the container calls, rather than somebody who has work for a
 * bean. Some it calls on the bean itself, past its proxy and so past the gate; others
 * through the proxy, but while the application starts or stops, when nobody leads.
 */
final class ContainerCallbacks {

	/** Called on the bean itself, if the container calls them at all. */
	private static final List<Class<?>> ON_THE_BEAN = List.of(InitializingBean.class, DisposableBean.class,
			Aware.class);

	/** Called on every instance to begin or end something. */
	private static final List<Class<?>> WITHOUT_A_LEADER = List.of(Lifecycle.class, SmartInitializingSingleton.class,
			FactoryBean.class, BeanPostProcessor.class, BeanFactoryPostProcessor.class, SchedulingConfigurer.class);

	/** Their methods describe the bean, except for those that do something. */
	private static final List<Class<?>> DESCRIPTIONS = List.of(Lifecycle.class, Phased.class, Ordered.class,
			FactoryBean.class, ApplicationListener.class);

	private static final Set<String> DESCRIBING = Set.of("isRunning", "isAutoStartup", "isPauseable", "getPhase",
			"getOrder", "getObjectType", "isSingleton", "isPrototype", "isEagerInit", "supportsType",
			"supportsAsyncExecution", "supportsEventType", "supportsSourceType", "getListenerId");

	private ContainerCallbacks() {
	}

	/** Return whether a method tells the container what the bean is like. */
	static boolean describes(MethodFamily family) {
		return DESCRIBING.contains(family.implementation().getName()) && isDeclaredBy(family, DESCRIPTIONS);
	}

	/** Return whether the container calls a method on the bean itself. */
	static boolean isCalledOnTheBean(MethodFamily family) {
		return isDeclaredBy(family, ON_THE_BEAN);
	}

	/** Return whether the container calls a method while nobody leads. */
	static boolean isCalledWithoutLeader(MethodFamily family) {
		return !describes(family) && isDeclaredBy(family, WITHOUT_A_LEADER);
	}

	private static boolean isDeclaredBy(MethodFamily family, List<Class<?>> interfaces) {
		return family.declarations()
			.stream()
			.map(Method::getDeclaringClass)
			.anyMatch((declaring) -> interfaces.stream().anyMatch((type) -> isOrExtends(declaring, type)));
	}

	/** What interfaces of the application add is not for the container. */
	private static boolean isOrExtends(Class<?> declaring, Class<?> type) {
		return declaring == type || (declaring.isInterface() && type.isAssignableFrom(declaring)
				&& declaring.getName().startsWith("org.springframework."));
	}

	/**
	 * Return whether the container calls a method on the bean itself since the definition
	 * of the bean says so.
	 * @param family the method
	 * @param definition the definition, as the post-processors for annotations left it
	 */
	static boolean isNamedBy(RootBeanDefinition definition, MethodFamily family) {
		return family.declarations()
			.stream()
			.anyMatch((method) -> definition.isExternallyManagedConfigMember(method) || isInit(method, definition)
					|| isDestroy(method, definition));
	}

	private static boolean isInit(Method method, RootBeanDefinition definition) {
		return method.getParameterCount() == 0 && (contains(definition.getInitMethodNames(), method)
				|| isNamed(method, definition::isExternallyManagedInitMethod));
	}

	private static boolean isDestroy(Method method, RootBeanDefinition definition) {
		String[] names = definition.getDestroyMethodNames();
		boolean inferred = (names != null) && Arrays.asList(names).contains(AbstractBeanDefinition.INFER_METHOD);
		return contains(names, method) || isNamed(method, definition::isExternallyManagedDestroyMethod)
				|| (method.getParameterCount() == 0 && isInferred(method, names == null, inferred));
	}

	/** The container closes what can be closed, unless it is told what to call. */
	private static boolean isInferred(Method method, boolean closeable, boolean inferred) {
		return switch (method.getName()) {
			case "close" -> inferred || (closeable && AutoCloseable.class.isAssignableFrom(method.getDeclaringClass()));
			case "shutdown" -> inferred;
			default -> false;
		};
	}

	private static boolean contains(String @Nullable [] names, Method method) {
		return names != null && isNamed(method, Arrays.asList(names)::contains);
	}

	private static boolean isNamed(Method method, Predicate<String> names) {
		Class<?>[] parameters = method.getParameterTypes();
		// A method that is called at the end may ask whether the bean is destroyed by
		// force.
		return (parameters.length == 0 || (parameters.length == 1 && parameters[0] == boolean.class))
				&& (names.test(method.getName()) || names.test(ClassUtils.getQualifiedMethodName(method)));
	}

}
