package io.github.leaderelection.store;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;

import io.github.leaderelection.store.CarelessRecordStore.Flaw;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A store that breaks a rule does not pass the contract.
 */
class CarelessRecordStoreTests {

	@Test
	void flawlessStoreKeepsTheContract() {
		assertThat(failures(null, "")).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void contractCatchesFlaw(Flaw flaw) {
		assertThat(flaw.foundBy()).isNotEmpty()
			.allSatisfy((test) -> assertThat(failures(flaw, test)).containsExactly(test));
	}

	/** Run the tests of the contract, or one of them, and return which fail. */
	private static Set<String> failures(@Nullable Flaw flaw, String only) {
		Set<String> failures = new TreeSet<>();
		for (Method test : RecordStoreContractTests.class.getDeclaredMethods()) {
			if (test.isAnnotationPresent(Test.class) && (only.isEmpty() || only.equals(test.getName()))) {
				try {
					test.setAccessible(true);
					test.invoke(new Contract(flaw));
				}
				catch (InvocationTargetException ex) {
					assertThat(ex.getCause()).isInstanceOf(AssertionError.class);
					failures.add(test.getName());
				}
				catch (IllegalAccessException ex) {
					throw new IllegalStateException(ex);
				}
			}
		}
		return failures;
	}

	private static final class Contract extends RecordStoreContractTests {

		private final RecordStore store;

		private final Duration patience;

		Contract(@Nullable Flaw flaw) {
			this.patience = (flaw != null) ? Duration.ofMillis(500) : TIMEOUT;
			this.store = new CarelessRecordStore(flaw);
		}

		@Override
		protected RecordStore store() {
			return this.store;
		}

		@Override
		Duration patience() {
			return this.patience;
		}

	}

}
