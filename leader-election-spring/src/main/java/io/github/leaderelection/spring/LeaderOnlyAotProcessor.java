package io.github.leaderelection.spring;

import java.lang.reflect.Method;
import java.util.LinkedHashSet;
import java.util.Set;

import io.github.leaderelection.spring.bound.LeaderBound;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;

/**
 * Registers reflection hints for gated methods, and for the methods by which components
 * are found and kept from starting. Without a hint, a native image sees neither the
 * method nor its annotation, and the method would run on every instance.
 */
final class LeaderOnlyAotProcessor implements BeanRegistrationAotProcessor {

	@Override
	public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean registeredBean) {
		Class<?> beanClass = registeredBean.getBeanClass();
		Set<Method> called = new LinkedHashSet<>(LeaderBound.methodsOf(beanClass));
		// The annotation may be on an overridden method or on a supertype.
		Set<Class<?>> annotated = new LinkedHashSet<>();
		for (LeaderOnlyMethod method : LeaderOnlyMethods.in(LeaderOnlyMethods.typesOf(beanClass))) {
			called.addAll(method.declarations());
			annotated.addAll(LeaderOnlyMethods.hierarchy(method.type()));
		}
		if (LeaderBound.find(registeredBean.getBeanFactory(), registeredBean.getBeanName()) != null) {
			annotated.addAll(LeaderOnlyMethods.hierarchy(beanClass));
			Method factoryMethod = registeredBean.getMergedBeanDefinition().getResolvedFactoryMethod();
			if (factoryMethod != null) {
				called.add(factoryMethod);
			}
		}
		if (called.isEmpty() && annotated.isEmpty()) {
			return null;
		}
		return (generationContext, beanRegistrationCode) -> {
			ReflectionHints hints = generationContext.getRuntimeHints().reflection();
			called.forEach((method) -> hints.registerMethod(method, ExecutableMode.INVOKE));
			annotated.forEach((type) -> hints.registerType(type));
		};
	}

}
