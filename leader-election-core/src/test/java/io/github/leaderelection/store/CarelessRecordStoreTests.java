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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A store that breaks a rule does not pass the contract.
 */
class CarelessRecordStoreTests {

	@Test
	void withoutAFlawTheContractIsKept() {
		assertThat(failures(null, "")).isEmpty();
	}

	@ParameterizedTest
	@CsvSource({ "INSERTS_OVER_WHAT_IS_THERE, recordThatIsThereIsNotInserted",
			"INSERTS_OVER_WHAT_IS_THERE, ofManyThoseAreInsertedThatAreNotThere",
			"CLAIMS_INSERTIONS, recordThatIsThereIsNotInserted", "CLAIMS_INSERTIONS, oneOfManyInserts",
			"REPLACES_WHATEVER_REVISION, recordOfAnotherRevisionStaysAsItIs",
			"REPLACES_EARLIER_REVISIONS, recordOfAnotherRevisionStaysAsItIs",
			"REPLACES_AGAIN, recordOfAnotherRevisionStaysAsItIs", "REPLACES_AGAIN, repeatedReplacementDoesNothing",
			"REPLACES_WHAT_IS_NOT_THERE, replacementMakesNoRecord",
			"FORGETS_OTHER_FIELDS, fieldsThatAreNotNamedStayAsTheyAre",
			"RAISES_NO_REVISION, recordOfTheRevisionBelowIsReplaced",
			"CLAIMS_REPLACEMENTS, recordOfAnotherRevisionStaysAsItIs",
			"CLAIMS_REPLACEMENTS, ofManyThoseAreReplacedThatHaveTheRevision",
			"LOOKS_BEFORE_IT_REPLACES, oneOfManyReplaces",
			"REMOVES_WHATEVER_REVISION, recordIsRemovedAtTheRevisionAtWhichItWasSeen",
			"REMOVES_WHATEVER_REVISION, ofManyThoseAreRemovedThatHaveTheRevision",
			"CLAIMS_REMOVALS, recordIsRemovedAtTheRevisionAtWhichItWasSeen", "CLAIMS_REMOVALS, oneOfManyRemoves",
			"SHOWS_NO_NULL, valuesOfAllTypesAreReadAsTheyWereStored", "COUNTS_FROM_ONE, revisionsBeginWithZero",
			"FINDS_OTHER_VALUES, recordsAreFoundByTheirValue",
			"FINDS_NOTHING_MISSING, recordsWithoutAValueAreFoundByNull",
			"FINDS_TOO_MANY, noMoreAreFoundThanAreAskedFor",
			"FINDS_WHAT_HAS_JUST_CHANGED, whatWasJustReplacedIsNotFoundAmongWhatIsUnchangedForLong",
			"SHOWS_WRONG_DATES, dateOfAReplacementIsThatOfTheStore", "ADDS_UP_NO_REVISIONS, sumsAreThoseOfEachValue",
			"ADDS_UP_NO_REVISIONS, eachChangeChangesTheSum", "ADDS_UP_ALL_VALUES, sumsAreThoseOfEachValue",
			"SHOWS_NO_REMOVALS, insertionReplacementAndRemovalAreShown",
			"SHOWS_WHAT_WAS_SENT, recordIsShownAsItIsStored", "SHOWS_WHAT_WAS_NOT_DONE, whatWasNotChangedIsNotShown" })
	void contractCatches(Flaw flaw, String test) {
		assertThat(failures(flaw, test)).containsExactly(test);
	}

	@ParameterizedTest
	@EnumSource
	void eachFlawIsCaught(Flaw flaw) {
		// The others would wait for racers that do not come.
		assertThat(failures(flaw, (flaw == Flaw.LOOKS_BEFORE_IT_REPLACES) ? "oneOfManyReplaces" : "")).isNotEmpty();
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
			this.patience = (flaw != null) ? Duration.ofSeconds(3) : TIMEOUT;
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
