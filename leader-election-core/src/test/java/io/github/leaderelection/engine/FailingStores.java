package io.github.leaderelection.engine;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.Supplier;

import io.github.leaderelection.store.LeaseStore;

/**
 * Stores that throw what no store should.
 */
final class FailingStores {

	private FailingStores() {
	}

	/**
	 * Return a store that asks before each call what to throw.
	 * @param failures gives the next failure, or {@code null} for none
	 */
	static LeaseStore failWith(LeaseStore store, Supplier<Throwable> failures) {
		return (LeaseStore) Proxy.newProxyInstance(FailingStores.class.getClassLoader(),
				new Class<?>[] { LeaseStore.class }, (proxy, method, arguments) -> {
					Throwable failure = failures.get();
					if (failure != null) {
						throw failure;
					}
					try {
						return method.invoke(store, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
	}

}
