/**
 * Guards what is written in the name of a leadership with its term: transactions of
 * MongoDB and of relational databases, and single writes to MongoDB.
 */
@NullMarked
package io.github.leaderelection.fence;

import org.jspecify.annotations.NullMarked;
