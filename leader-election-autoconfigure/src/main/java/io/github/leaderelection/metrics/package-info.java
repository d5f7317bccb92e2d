/**
 * Metrics of leader election.
 */
@NullMarked
package io.github.leaderelection.metrics;

import org.jspecify.annotations.NullMarked;
