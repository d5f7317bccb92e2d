/**
 * Guards what is written in the name of a leadership with its term: transactions of
 * Spring Data MongoDB, and single writes.
 */
@NullMarked
package io.github.leaderelection.fence;

import org.jspecify.annotations.NullMarked;
