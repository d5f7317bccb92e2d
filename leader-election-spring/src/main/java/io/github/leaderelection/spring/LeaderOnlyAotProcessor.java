package io.github.leaderelection.spring;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;

/**
 * Lets a native image see the methods that need a gate. There, a method that nobody has
 * asked for does not seem to exist, and neither does its annotation: it would run on
 * every instance.
 */
final class LeaderOnlyAotProcessor implements BeanRegistrationAotProcessor {

	@Override
	public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean registeredBean) {
		Class<?> beanClass = registeredBean.getBeanClass();
		List<LeaderOnlyMethod> methods = LeaderOnlyMethods.in(LeaderOnlyMethods.typesOf(beanClass));
		if (methods.isEmpty()) {
			return null;
		}
		return (generationContext, beanRegistrationCode) -> {
			ReflectionHints hints = generationContext.getRuntimeHints().reflection();
			methods.forEach((method) -> register(method, hints));
		};
	}

	private static void register(LeaderOnlyMethod method, ReflectionHints hints) {
		method.declarations().forEach((call) -> hints.registerMethod(call, ExecutableMode.INVOKE));
		// The annotation may be on what the method overrides, or on a supertype.
		LeaderOnlyMethods.hierarchy(method.type()).forEach((type) -> hints.registerType(type));
	}

}
