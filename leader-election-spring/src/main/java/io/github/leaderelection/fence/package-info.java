/**
 * Guards what leaders write with their term: transactions of MongoDB and of relational
 * databases, and single writes to MongoDB.
 */
@NullMarked
package io.github.leaderelection.fence;

import org.jspecify.annotations.NullMarked;
