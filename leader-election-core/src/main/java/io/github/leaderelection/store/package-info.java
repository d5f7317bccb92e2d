/**
 * Where leases, sessions, locks and candidates are kept: {@code RecordStore}, the one
 * port that a database implements, one of them in memory, and what the records mean.
 */
@NullMarked
package io.github.leaderelection.store;

import org.jspecify.annotations.NullMarked;
