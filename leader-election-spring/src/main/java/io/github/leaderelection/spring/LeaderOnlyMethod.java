package io.github.leaderelection.spring;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.github.leaderelection.LeaderOnly;

import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * A method to which {@link LeaderOnly} applies.
 *
 * @param type the class of the bean, or an interface of its proxy
 * @param method the implementation, or the most specific declaration if there is none; a
 * bridge method only if there is no other
 * @param declarations all methods by which it can be called, those nearest to the type
 * first: the method itself, the methods that it overrides in superclasses and interfaces,
 * and the bridge methods that the compiler has added; they share one gate
 * @param annotation the annotation, with the attributes of meta-annotations merged
 * @param direct whether a declaration is annotated; otherwise the class is
 */
record LeaderOnlyMethod(Class<?> type, Method method, List<Method> declarations, LeaderOnly annotation,
		boolean direct) {

	/** Return whether a declaration meets the condition. */
	boolean isAny(Predicate<Method> condition) {
		return this.declarations.stream().anyMatch(condition);
	}

	/**
	 * Return the narrowest return type of all declarations, which suits all callers.
	 */
	ResolvableType returnType() {
		ResolvableType narrowest = ResolvableType.forMethodReturnType(this.method, this.type);
		for (Method declaration : this.declarations) {
			ResolvableType returnType = ResolvableType.forMethodReturnType(declaration, this.type);
			Class<?> resolved = returnType.toClass();
			if (resolved != narrowest.toClass() && narrowest.toClass().isAssignableFrom(resolved)) {
				narrowest = returnType;
			}
		}
		return narrowest;
	}

	/** Return the short name for log and exception messages, such as {@code Jobs.run}. */
	String shortName() {
		return ClassUtils.getShortName(this.type) + "." + this.method.getName();
	}

	InvalidLeaderOnlyException invalid(String reason, String remedy) {
		return new InvalidLeaderOnlyException(place(), reason, remedy);
	}

	InvalidLeaderOnlyException invalidAttribute(String reason, String remedy) {
		return InvalidLeaderOnlyException.ofAttribute(place(), reason, remedy);
	}

	/** Return the full name, such as {@code com.acme.Jobs.run()}. */
	String place() {
		Class<?> declaringClass = this.method.getDeclaringClass();
		String parameters = Arrays.stream(this.method.getParameterTypes())
			.map(Class::getSimpleName)
			.collect(Collectors.joining(", "));
		String place = "%s.%s(%s)".formatted(declaringClass.getName(), this.method.getName(), parameters);
		return (declaringClass != this.type) ? place + " of bean class " + this.type.getName() : place;
	}

}
