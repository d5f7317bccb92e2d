package io.github.leaderelection.store;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.TreeSet;

import io.github.leaderelection.store.CarelessRunStore.Flaw;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A store that breaks a rule does not pass the contract.
 */
class CarelessRunStoreTests {

	@Test
	void withoutAFlawTheContractIsKept() {
		assertThat(failures(null, "")).isEmpty();
	}

	@ParameterizedTest
	@CsvSource({ "OPENS_WITHOUT_RAISING_THE_FENCE, startUnderAnEarlierTermThanWasOpenedIsRefused",
			"OPENS_WITHOUT_RAISING_THE_FENCE, nothingIsStartedOnceALaterTermHasSeenTheRecord",
			"OPENS_UNDER_EARLIER_TERMS, openingUnderAnEarlierTermShowsNothingAndChangesNothing",
			"KEEPS_THE_TIMETABLE, anotherTimetableCoversEverythingUpToItsOpening",
			"STARTS_WITHOUT_FENCE, startUnderAnEarlierTermThanWasOpenedIsRefused",
			"STARTS_WITHOUT_FENCE, furtherAttemptUnderAnEarlierTermIsRefused",
			"STARTS_WITHOUT_COVERED, startOfTheSameFireTimeIsRefused",
			"STARTS_WITHOUT_COVERED, startOfAnEarlierFireTimeIsRefused",
			"STARTS_WITHOUT_COVERED, startOfAFireTimeThatWasCoveredIsRefused",
			"STARTS_WITHOUT_PREVIOUS, startWhoseExpectedRunIsNotTheLastOneIsRefused",
			"STARTS_ANY_ATTEMPT, furtherAttemptIsForTheSameFireTime",
			"STARTS_ANY_ATTEMPT, furtherAttemptNeedsARunThatItFollows",
			"STARTS_AGAIN, repeatedStartFindsItselfRecorded",
			"STARTS_AGAIN, repeatedStartOfARunThatHasEndedDoesNotStartItAgain",
			"STARTS_AGAIN, repeatedStartOfARunThatWasWithdrawnIsRefused",
			"ENDS_WHATEVER_IS_LAST, endOfARunThatIsNotTheLastOneIsNotRecorded", "ENDS_TWICE, endIsRecordedOnce",
			"ENDS_TWICE, onlyOneOfManyRecordsTheEnd",
			"WITHDRAWS_WITHOUT_FENCE, withdrawalIsRefusedOnceALaterTermHasOpened",
			"COVERS_WITHOUT_FENCE, coverUnderAnEarlierTermIsRefused",
			"COUNTS_TWICE, coverOfOtherThanWhatIsCoveredDoesNothingSoThatNothingIsCountedTwice",
			"COUNTS_TWICE, onlyOneOfManySettlesTheSameFireTimes",
			"LOOKS_BEFORE_IT_STARTS, onlyOneOfManyTermsStartsAFireTime",
			"LOOKS_BEFORE_IT_STARTS, onlyOneOfManyRacersStartsAFireTime" })
	void contractCatches(Flaw flaw, String test) {
		assertThat(failures(flaw, test)).containsExactly(test);
	}

	@ParameterizedTest
	@EnumSource
	void eachFlawIsCaught(Flaw flaw) {
		// The others would wait for racers that do not come.
		assertThat(failures(flaw, (flaw == Flaw.LOOKS_BEFORE_IT_STARTS) ? "onlyOneOfManyTermsStartsAFireTime" : ""))
			.isNotEmpty();
	}

	/** Run the tests of the contract, or one of them, and return which fail. */
	private static Set<String> failures(@Nullable Flaw flaw, String only) {
		Set<String> failures = new TreeSet<>();
		for (Method test : RunStoreContractTests.class.getDeclaredMethods()) {
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

	private static final class Contract extends RunStoreContractTests {

		private final RunStore store;

		Contract(@Nullable Flaw flaw) {
			this.store = new CarelessRunStore(new InMemoryRunStore(), flaw);
		}

		@Override
		protected RunStore store() {
			return this.store;
		}

	}

}
