/**
 * A real PostgreSQL server that the instances of the sample application share.
 */
@NullMarked
package io.github.leaderelection.launcher.postgres;

import org.jspecify.annotations.NullMarked;
