/**
 * How web applications answer requests that only the leader can serve.
 */
@NullMarked
package io.github.leaderelection.web;

import org.jspecify.annotations.NullMarked;
