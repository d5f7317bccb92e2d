/**
 * Leases and candidates in MongoDB, by its synchronous driver. What is stored is shown by
 * {@link io.github.leaderelection.mongodb.MongoLeaseStore} and
 * {@link io.github.leaderelection.mongodb.MongoCandidateRegistry}.
 */
@NullMarked
package io.github.leaderelection.mongodb;

import org.jspecify.annotations.NullMarked;
