/**
 * Measurements on a real replica set, side by side with what else people use.
 */
@NullMarked
package io.github.leaderelection.benchmarks;

import org.jspecify.annotations.NullMarked;
