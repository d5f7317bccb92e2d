package io.github.leaderelection.spring;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;

import io.github.leaderelection.LeaderOnly;
import org.springframework.util.ClassUtils;

/**
 * A method to which {@link LeaderOnly} applies.
 *
 * @param type the class of the bean, or an interface of its proxy
 * @param method the most specific method in the type, never a bridge
 * @param annotation the annotation, with the attributes of meta-annotations merged
 * @param direct whether the method itself is annotated, or one it overrides; otherwise
 * the class is
 */
record LeaderOnlyMethod(Class<?> type, Method method, LeaderOnly annotation, boolean direct) {

	/** Return the method for log and exception messages, such as {@code Jobs.run}. */
	String shortName() {
		return ClassUtils.getShortName(this.type) + "." + this.method.getName();
	}

	InvalidLeaderOnlyException invalid(String reason, String remedy) {
		return new InvalidLeaderOnlyException(place(), reason, remedy);
	}

	private String place() {
		Class<?> declaringClass = this.method.getDeclaringClass();
		String parameters = Arrays.stream(this.method.getParameterTypes())
			.map(Class::getSimpleName)
			.collect(Collectors.joining(", "));
		String place = "%s.%s(%s)".formatted(declaringClass.getName(), this.method.getName(), parameters);
		return (declaringClass != this.type) ? place + " of bean class " + this.type.getName() : place;
	}

}
