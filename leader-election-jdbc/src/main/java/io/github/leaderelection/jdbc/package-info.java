/**
 * Keeps records in the tables of a relational database, with plain JDBC.
 */
@NullMarked
package io.github.leaderelection.jdbc;

import org.jspecify.annotations.NullMarked;
