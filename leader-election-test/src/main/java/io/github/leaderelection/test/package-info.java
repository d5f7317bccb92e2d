/**
 * Lets tests decide whether this instance leads.
 * <p>
 * Annotate a Spring test with {@link io.github.leaderelection.test.WithLeadership} or
 * {@link io.github.leaderelection.test.WithoutLeadership}, and inject
 * {@link io.github.leaderelection.test.LeadershipControl} to change that in the middle of
 * a test. Leases are then kept in memory, and time stands still unless a test advances
 * it. The engine, the gate and all callbacks are those of production.
 */
@NullMarked
package io.github.leaderelection.test;

import org.jspecify.annotations.NullMarked;
