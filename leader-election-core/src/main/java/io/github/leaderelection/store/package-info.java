/**
 * Where leases are kept: the ports that a store implements, and a store in memory.
 */
@NullMarked
package io.github.leaderelection.store;

import org.jspecify.annotations.NullMarked;
