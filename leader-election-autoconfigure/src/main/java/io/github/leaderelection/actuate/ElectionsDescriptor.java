package io.github.leaderelection.actuate;

import java.time.Duration;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Description of all elections of this instance.
 *
 * @param candidate the id of this instance as a candidate
 * @param pushed whether changes of leases are pushed; otherwise they are polled for
 * @param notPushedBecause why they are not pushed, if that is known
 * @param unreachableFor how long the store has been unreachable, if it is
 * @param unreachableBecause why the store is unreachable
 * @param elections the elections, by name
 */
public record ElectionsDescriptor(String candidate, boolean pushed, @Nullable String notPushedBecause,
		@Nullable Duration unreachableFor, @Nullable String unreachableBecause,
		Map<String, ElectionDescriptor> elections) implements OperationResponseBody {

}
