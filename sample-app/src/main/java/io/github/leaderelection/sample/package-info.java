/**
 * A small web application whose instances elect leaders.
 */
@NullMarked
package io.github.leaderelection.sample;

import org.jspecify.annotations.NullMarked;
