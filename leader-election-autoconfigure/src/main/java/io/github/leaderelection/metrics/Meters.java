package io.github.leaderelection.metrics;

import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

/**
 * Meters of one thing in one registry, which can be removed together.
 *
 * @param <S> the type of its status
 */
class Meters<S> {

	private final Set<Meter> all = ConcurrentHashMap.newKeySet();

	private final MeterRegistry registry;

	private final Supplier<? extends @Nullable S> status;

	private final Tags tags;

	/**
	 * Create an instance.
	 * @param registry the registry
	 * @param status supplies the status, or {@code null} while there is none
	 * @param tags keys and values of the tags of all meters
	 */
	Meters(MeterRegistry registry, Supplier<? extends @Nullable S> status, String... tags) {
		this.registry = registry;
		this.status = status;
		this.tags = Tags.of(tags);
	}

	final void gauge(String name, String description, ToDoubleFunction<S> value) {
		add(Gauge.builder(name, () -> read(value)).description(description).tags(this.tags).register(this.registry));
	}

	/** Register a gauge in seconds, which is not a number if there is no duration. */
	final void timeGauge(String name, String description, Function<S, @Nullable Duration> value) {
		add(TimeGauge.builder(name, () -> read((is) -> seconds(value.apply(is))), TimeUnit.SECONDS)
			.description(description)
			.tags(this.tags)
			.register(this.registry));
	}

	private double read(ToDoubleFunction<S> value) {
		S present = this.status.get();
		return (present != null) ? value.applyAsDouble(present) : Double.NaN;
	}

	final Counter counter(String name, String description, String... more) {
		return add(Counter.builder(name).description(description).tags(this.tags.and(more)).register(this.registry));
	}

	final Timer timer(String name, String description, String... more) {
		return add(Timer.builder(name).description(description).tags(this.tags.and(more)).register(this.registry));
	}

	final void remove() {
		this.all.forEach(this.registry::remove);
	}

	private <M extends Meter> M add(M meter) {
		this.all.add(meter);
		return meter;
	}

	private static double seconds(@Nullable Duration duration) {
		return (duration != null) ? duration.getSeconds() + duration.getNano() / 1e9 : Double.NaN;
	}

	/** Return the value of a tag for a constant. */
	static String tag(Enum<?> constant) {
		return constant.name().toLowerCase(Locale.ROOT);
	}

}
