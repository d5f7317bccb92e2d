/**
 * Measurements on real servers, compared with alternatives.
 */
@NullMarked
package io.github.leaderelection.benchmarks;

import org.jspecify.annotations.NullMarked;
