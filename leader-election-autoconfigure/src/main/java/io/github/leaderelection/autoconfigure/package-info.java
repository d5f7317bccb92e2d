/**
 * Auto-configuration of leader election for Spring Boot.
 */
@NullMarked
package io.github.leaderelection.autoconfigure;

import org.jspecify.annotations.NullMarked;
