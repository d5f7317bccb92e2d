/**
 * The actuator endpoint of leader election.
 */
@NullMarked
package io.github.leaderelection.actuate;

import org.jspecify.annotations.NullMarked;
