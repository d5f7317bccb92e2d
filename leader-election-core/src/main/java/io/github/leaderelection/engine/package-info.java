/**
 * The election itself, with no framework: {@code ElectionProtocol} decides, purely;
 * {@code Elections} applies its decisions for all elections of this process and batches
 * what they ask of the store; {@link io.github.leaderelection.engine.ElectionEngine} owns
 * the threads.
 */
@NullMarked
package io.github.leaderelection.engine;

import org.jspecify.annotations.NullMarked;
