package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.store.LockStore;

/**
 * Where the leases of locks are kept. The store is no bean, since it is not one for
 * elections.
 *
 * @param store the store
 */
record LeasesOfLocks(LockStore store) {

}
