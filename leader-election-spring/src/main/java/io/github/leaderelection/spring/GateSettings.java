package io.github.leaderelection.spring;

import org.jspecify.annotations.Nullable;

/**
 * Settings of the gate.
 *
 * @param mode what the gate does with calls
 * @param interruptOnLoss whether calls may be interrupted when leadership is lost
 * @param order the order of the gate among the advice of a bean, as in
 * {@link org.springframework.core.Ordered}; it comes before advice of the same order
 * @param proxyTargetClass whether beans are proxied by their class even if they implement
 * interfaces
 * @param defaultElection the election of methods that name none, or {@code null} or blank
 * if there is no default
 */
public record GateSettings(GateMode mode, boolean interruptOnLoss, int order, boolean proxyTargetClass,
		@Nullable String defaultElection) {

}
