/**
 * Components that are started and stopped with the leader: finds them among beans and
 * listener containers, keeps the application context from starting them, and registers
 * each of them in its election.
 */
@NullMarked
package io.github.leaderelection.spring.bound;

import org.jspecify.annotations.NullMarked;
