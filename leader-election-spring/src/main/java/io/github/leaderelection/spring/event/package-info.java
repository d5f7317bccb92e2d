/**
 * Spring application events about elections.
 */
@NullMarked
package io.github.leaderelection.spring.event;

import org.jspecify.annotations.NullMarked;
