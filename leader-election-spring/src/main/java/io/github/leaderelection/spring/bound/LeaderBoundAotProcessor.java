package io.github.leaderelection.spring.bound;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.context.Lifecycle;
import org.springframework.util.ClassUtils;

/**
 * Lets a native image see what components are known by: their annotations, and the
 * methods by which they are found and kept from being started.
 */
final class LeaderBoundAotProcessor implements BeanRegistrationAotProcessor {

	@Override
	public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean registeredBean) {
		Class<?> type = registeredBean.getBeanClass();
		boolean bound = LeaderBound.find(registeredBean.getBeanFactory(), registeredBean.getBeanName()) != null;
		List<Method> methods = methodsOf(type);
		if (!bound && methods.isEmpty()) {
			return null;
		}
		Method factoryMethod = bound ? registeredBean.getMergedBeanDefinition().getResolvedFactoryMethod() : null;
		return (generationContext, beanRegistrationCode) -> {
			ReflectionHints hints = generationContext.getRuntimeHints().reflection();
			methods.forEach((method) -> hints.registerMethod(method, ExecutableMode.INVOKE));
			if (bound) {
				ClassUtils.getAllInterfacesForClassAsSet(type).forEach(hints::registerType);
				for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
					hints.registerType(each);
				}
			}
			if (factoryMethod != null) {
				hints.registerMethod(factoryMethod, ExecutableMode.INVOKE);
			}
		};
	}

	private static List<Method> methodsOf(Class<?> type) {
		List<Method> methods = new ArrayList<>();
		if (Lifecycle.class.isAssignableFrom(type)) {
			add(AutoStartup.setterOf(type), methods);
		}
		Method getter = ListenerRegistries.getterOf(type);
		if (getter != null) {
			methods.add(getter);
			add(ClassUtils.getMethodIfAvailable(type, ListenerRegistries.IDS), methods);
			// What it returns is made when the application starts.
			add(AutoStartup.setterOf(getter.getReturnType()), methods);
		}
		return methods;
	}

	private static void add(@Nullable Method method, List<Method> methods) {
		if (method != null) {
			methods.add(method);
		}
	}

}
