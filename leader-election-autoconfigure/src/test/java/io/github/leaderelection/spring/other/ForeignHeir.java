package io.github.leaderelection.spring.other;

import io.github.leaderelection.spring.LocalBase;

/**
 * Has a method of the same name as one that it can't see, hence does not override.
 */
public class ForeignHeir extends LocalBase {

	protected String local() {
		return "foreign";
	}

}
