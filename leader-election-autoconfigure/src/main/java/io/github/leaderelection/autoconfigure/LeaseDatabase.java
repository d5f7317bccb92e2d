package io.github.leaderelection.autoconfigure;

import com.mongodb.client.MongoDatabase;

/**
 * The database that keeps the leases. Not a bean of type {@link MongoDatabase}, which the
 * application may have one of.
 *
 * @param database the database
 */
record LeaseDatabase(MongoDatabase database) {

}
