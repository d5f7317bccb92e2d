package io.github.leaderelection.engine;

import io.github.leaderelection.protocol.Moment;

/**
 * The two clocks of a process. Each may be wrong in its own way: the monotonic one stops
 * while the machine is suspended, the wall clock can jump.
 */
public interface EngineClock {

	/**
	 * The clocks of this process.
	 */
	EngineClock SYSTEM = new EngineClock() {

		@Override
		public long nanos() {
			return System.nanoTime();
		}

		@Override
		public long millis() {
			return System.currentTimeMillis();
		}

	};

	/**
	 * Return the monotonic time.
	 * @return nanoseconds since an arbitrary origin; may be negative, and is only
	 * meaningful as a difference
	 */
	long nanos();

	/**
	 * Return the wall-clock time.
	 * @return milliseconds since the epoch
	 */
	long millis();

	/**
	 * Return the present time on both clocks.
	 * @return the present moment
	 */
	default Moment now() {
		return new Moment(nanos(), millis());
	}

}
