package io.github.leaderelection.spring;

import org.jspecify.annotations.Nullable;

/**
 * How the gate works.
 *
 * @param mode what it does with calls
 * @param interruptOnLoss whether calls may be interrupted when leadership is lost
 * @param order where the gate stands among the advice of a bean, as in
 * {@link org.springframework.core.Ordered}; before advice of the same order
 * @param proxyTargetClass whether beans are proxied by their class even where they
 * implement interfaces
 * @param defaultElection the election of methods that name none, or {@code null} or blank
 * when there is no such election
 */
public record GateSettings(GateMode mode, boolean interruptOnLoss, int order, boolean proxyTargetClass,
		@Nullable String defaultElection) {

}
