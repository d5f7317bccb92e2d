package io.github.leaderelection.spring.bound;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.spring.bound.ComponentSettings.Named;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.Lifecycle;

/**
 * Finds the components to start and stop with the leader, by annotation and by name.
 *
 * @param beanFactory the bean factory of a context
 * @param settings the settings, which name components
 * @param boundAround the components that the parent context has bound by name
 * @param values resolves the elections of annotations
 */
record ComponentFinder(ConfigurableListableBeanFactory beanFactory, ComponentSettings settings,
		Collection<Named> boundAround, AnnotationValues values) {

	private static final int SHOWN = 30;

	/** Beans that start components can't be components themselves. */
	private static final Set<String> STARTERS = Set.of("lifecycleProcessor", "leaderElectionLifecycle",
			"leaderBoundComponents");

	private static final Set<String> OF_FRAMEWORKS = Set.of("applicationTaskExecutor", "taskScheduler");

	/**
	 * Find all components, each once.
	 * @throws InvalidComponentException if a named bean is not a component, or a
	 * component is bound twice
	 */
	List<ComponentBinding> find() {
		List<ComponentBinding> bindings = new ArrayList<>(annotated());
		if (!this.settings.components().isEmpty()) {
			ListenerRegistries registries = new ListenerRegistries(this.beanFactory);
			for (Named named : this.settings.components()) {
				ComponentBinding binding = find(named, registries);
				if (binding != null) {
					bindings.add(binding);
				}
			}
		}
		IdentityHashMap<Lifecycle, ComponentBinding> known = new IdentityHashMap<>();
		for (ComponentBinding binding : bindings) {
			ComponentBinding other = known.put(binding.component(), binding);
			if (other != null) {
				throw binding.invalid("it is already bound by " + other.place(), "Remove one of the two");
			}
		}
		return bindings;
	}

	private List<ComponentBinding> annotated() {
		List<ComponentBinding> bindings = new ArrayList<>();
		for (String name : this.beanFactory.getBeanDefinitionNames()) {
			if (this.beanFactory.getMergedBeanDefinition(name).isAbstract()) {
				continue;
			}
			String beanName = nameOfLifecycle(name);
			LeaderOnly annotation = LeaderBound.find(this.beanFactory, (beanName != null) ? beanName : name);
			if (annotation != null) {
				bindings.add(bind(name, beanName, annotation));
			}
		}
		return bindings;
	}

	private ComponentBinding bind(String name, @Nullable String beanName, LeaderOnly annotation) {
		String place = "@LeaderOnly bean '%s'".formatted(name);
		if (annotation.fenced()) {
			throw new InvalidComponentException(place, "the writes of a component can't be fenced",
					"Remove fenced = true, and set it on a method that the component calls");
		}
		// Its type may not be known before it is created.
		Lifecycle component = componentOf(place, (beanName != null) ? beanName : name);
		if (component == null) {
			throw notALifecycle(place, name,
					"Annotate methods of the bean, call LeaderElection.runIfLeader in them, or let it implement Lifecycle");
		}
		String election = this.values.election(annotation,
				(reason, remedy) -> new InvalidComponentException(place, reason, remedy));
		return new ComponentBinding(place, name, election, component);
	}

	private @Nullable ComponentBinding find(Named named, ListenerRegistries registries) {
		String place = named.place();
		if (STARTERS.contains(named.id())) {
			throw new InvalidComponentException(place, "it is the bean that starts and stops components",
					oneOf(registries));
		}
		if (isInherited(named, registries)) {
			return null;
		}
		boolean present = this.beanFactory.containsBean(named.id());
		String beanName = present ? nameOfLifecycle(named.id()) : null;
		Lifecycle component = (beanName != null) ? componentOf(place, beanName) : null;
		if (component == null) {
			List<Lifecycle> containers = registries.find(named.id());
			if (containers.size() > 1) {
				throw new InvalidComponentException(place, "several listener containers have this id",
						"Give them different ids");
			}
			component = containers.isEmpty() ? null : containers.get(0);
		}
		if (component != null) {
			return new ComponentBinding(place, named.id(), named.election(), component);
		}
		if (present) {
			throw notALifecycle(place, named.id(), oneOf(registries));
		}
		if (this.settings.partial()) {
			return null;
		}
		throw new InvalidComponentException(place, "no bean or listener container has this name", oneOf(registries));
	}

	/**
	 * Return whether the setting is inherited, and names a component of the parent
	 * context.
	 */
	private boolean isInherited(Named named, ListenerRegistries registries) {
		return this.boundAround.contains(named) && !this.beanFactory.containsLocalBean(named.id())
				&& registries.find(named.id()).isEmpty();
	}

	private InvalidComponentException notALifecycle(String place, String name, String remedy) {
		Class<?> type = this.beanFactory.getType(name);
		return new InvalidComponentException(place, "%s does not implement org.springframework.context.Lifecycle"
			.formatted((type != null) ? type.getName() : "the bean"), remedy);
	}

	private @Nullable Lifecycle componentOf(String place, String beanName) {
		if (!this.beanFactory.isSingleton(BeanFactoryUtils.transformedBeanName(beanName))) {
			throw new InvalidComponentException(place, "the bean is not a singleton", "Make it a singleton");
		}
		return (this.beanFactory.getBean(beanName) instanceof Lifecycle component) ? component : null;
	}

	/**
	 * Return the name of the bean, or that of its factory if only the factory can be
	 * started, as with Quartz; {@code null} if neither can.
	 */
	private @Nullable String nameOfLifecycle(String name) {
		if (isLifecycle(name)) {
			return name;
		}
		String factory = BeanFactory.FACTORY_BEAN_PREFIX + name;
		if (this.beanFactory.containsBean(factory) && this.beanFactory.isFactoryBean(name) && isLifecycle(factory)) {
			return factory;
		}
		return null;
	}

	private boolean isLifecycle(String name) {
		Class<?> type = this.beanFactory.getType(name, false);
		return type != null && Lifecycle.class.isAssignableFrom(type);
	}

	private String oneOf(ListenerRegistries registries) {
		Collection<String> known = new TreeSet<>(registries.ids());
		Arrays.stream(this.beanFactory.getBeanNamesForType(Lifecycle.class, false, false))
			.filter(this::isOfTheApplication)
			.map(BeanFactoryUtils::transformedBeanName)
			.forEach(known::add);
		if (known.isEmpty()) {
			return "Let a bean implement Lifecycle, or give a listener container an id, as in "
					+ "@KafkaListener(id = \"orders\"): so far there is no component to name";
		}
		return "Name one of: " + known.stream().limit(SHOWN).toList();
	}

	/** Exclude beans that frameworks run for themselves, and flows, which are refused. */
	private boolean isOfTheApplication(String name) {
		Class<?> type = this.beanFactory.getType(name, false);
		return !STARTERS.contains(name) && !OF_FRAMEWORKS.contains(name) && !name.contains("org.springframework.")
				&& (type == null
						|| !(type.getName().startsWith("org.springframework.boot.") || ComponentBinding.isFlow(type)));
	}

}
