/**
 * What applications hear of elections as Spring application events.
 */
@NullMarked
package io.github.leaderelection.spring.event;

import org.jspecify.annotations.NullMarked;
