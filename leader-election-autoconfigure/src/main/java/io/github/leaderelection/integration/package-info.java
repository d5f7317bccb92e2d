/**
 * Locks for Spring Integration.
 */
@NullMarked
package io.github.leaderelection.integration;

import org.jspecify.annotations.NullMarked;
