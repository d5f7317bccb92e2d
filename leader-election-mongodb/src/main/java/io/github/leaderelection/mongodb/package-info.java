/**
 * Records in MongoDB, by its synchronous driver. What is stored is shown by
 * {@link io.github.leaderelection.mongodb.MongoRecordStore}.
 */
@NullMarked
package io.github.leaderelection.mongodb;

import org.jspecify.annotations.NullMarked;
