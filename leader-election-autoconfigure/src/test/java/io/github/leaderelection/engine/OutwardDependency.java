package io.github.leaderelection.engine;

import io.github.leaderelection.spring.ElectionEventPublisher;

/**
 * Breaks the rules of the architecture, to show that they can be broken.
 */
class OutwardDependency {

	ElectionEventPublisher publisher;

}
