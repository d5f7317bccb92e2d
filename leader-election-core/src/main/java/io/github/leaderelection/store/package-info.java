/**
 * Where leases, sessions, locks and candidates are kept: {@code RecordStore}, the one
 * port that a database adapter implements, an implementation in memory, and what the
 * records mean. Rules such as S6 and R1 are those of {@code docs/internals/protocol.md}.
 */
@NullMarked
package io.github.leaderelection.store;

import org.jspecify.annotations.NullMarked;
