/**
 * How web applications answer what only the leader may do.
 */
@NullMarked
package io.github.leaderelection.web;

import org.jspecify.annotations.NullMarked;
