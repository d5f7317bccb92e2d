/**
 * Components that are started and stopped with the leader: finds them among the beans and
 * the containers of listeners, keeps the application context from starting them, and lets
 * each stand in its election.
 */
@NullMarked
package io.github.leaderelection.spring.bound;

import org.jspecify.annotations.NullMarked;
