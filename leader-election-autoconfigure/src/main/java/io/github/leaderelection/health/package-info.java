/**
 * Health of leader election.
 */
@NullMarked
package io.github.leaderelection.health;

import org.jspecify.annotations.NullMarked;
