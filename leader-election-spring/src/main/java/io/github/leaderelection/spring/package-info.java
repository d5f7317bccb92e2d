/**
 * Integrates the engine with Spring: the gate in front of
 * {@link io.github.leaderelection.LeaderOnly} methods, the lifecycle and the events.
 */
@NullMarked
package io.github.leaderelection.spring;

import org.jspecify.annotations.NullMarked;
