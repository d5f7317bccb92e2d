package io.github.leaderelection.engine;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

import io.github.leaderelection.store.LeaseStore;

/**
 * Stores that do something before each call, such as to throw.
 */
public final class InterceptedStores {

	private InterceptedStores() {
	}

	public static LeaseStore before(LeaseStore store, Interceptor interceptor) {
		return (LeaseStore) Proxy.newProxyInstance(InterceptedStores.class.getClassLoader(),
				new Class<?>[] { LeaseStore.class }, (proxy, method, arguments) -> {
					interceptor.called(method.getName(), (arguments != null) ? arguments : new Object[0]);
					try {
						return method.invoke(store, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
	}

	/** Hears of each call before it is made. */
	@FunctionalInterface
	public interface Interceptor {

		void called(String method, Object[] arguments) throws Throwable;

	}

}
