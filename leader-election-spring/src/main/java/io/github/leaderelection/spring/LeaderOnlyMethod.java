package io.github.leaderelection.spring;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;

import io.github.leaderelection.LeaderOnly;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * A method to which {@link LeaderOnly} applies.
 *
 * @param type the class of the bean, or an interface of its proxy
 * @param family the method, with all by which it can be called
 * @param annotation the annotation, with the attributes of meta-annotations merged
 * @param direct whether the method itself is annotated, or one it overrides; otherwise
 * the class is
 */
record LeaderOnlyMethod(Class<?> type, MethodFamily family, LeaderOnly annotation, boolean direct) {

	/** Return what runs. */
	Method method() {
		return this.family.implementation();
	}

	/**
	 * Return the type of the result that suits all callers.
	 */
	ResolvableType returnType() {
		ResolvableType narrowest = ResolvableType.forMethodReturnType(method(), this.type);
		for (Method declaration : this.family.declarations()) {
			ResolvableType returnType = ResolvableType.forMethodReturnType(declaration, this.type);
			Class<?> resolved = returnType.toClass();
			if (resolved != narrowest.toClass() && narrowest.toClass().isAssignableFrom(resolved)) {
				narrowest = returnType;
			}
		}
		return narrowest;
	}

	/**
	 * Return whether the method is only a callback of a class that is annotated. The
	 * container's calls are not meant; those of others are gated where they can be.
	 */
	boolean isIncidental() {
		return !this.direct && ContainerCallbacks.isCalledOnTheBean(this.family);
	}

	/** Return the method for log and exception messages, such as {@code Jobs.run}. */
	String shortName() {
		return ClassUtils.getShortName(this.type) + "." + method().getName();
	}

	InvalidLeaderOnlyException invalid(String reason, String remedy) {
		return new InvalidLeaderOnlyException(place(), reason, remedy);
	}

	InvalidLeaderOnlyException invalidAttribute(String reason, String remedy) {
		return InvalidLeaderOnlyException.ofAttribute(place(), reason, remedy);
	}

	/** Return the method in full, such as {@code com.acme.Jobs.run()}. */
	String place() {
		Class<?> declaringClass = method().getDeclaringClass();
		String parameters = Arrays.stream(method().getParameterTypes())
			.map(Class::getSimpleName)
			.collect(Collectors.joining(", "));
		String place = "%s.%s(%s)".formatted(declaringClass.getName(), method().getName(), parameters);
		return (declaringClass != this.type) ? place + " of bean class " + this.type.getName() : place;
	}

}
