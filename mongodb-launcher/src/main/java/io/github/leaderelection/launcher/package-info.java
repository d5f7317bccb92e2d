/**
 * Real MongoDB servers for tests, benchmarks and the sample application: replica sets of
 * {@code mongod} processes that can be stopped, killed, paused and started again, and
 * that never outlive the JVM that started them.
 */
@NullMarked
package io.github.leaderelection.launcher;

import org.jspecify.annotations.NullMarked;
