/**
 * Locks for Spring Integration and ShedLock.
 */
@NullMarked
package io.github.leaderelection.integration;

import org.jspecify.annotations.NullMarked;
