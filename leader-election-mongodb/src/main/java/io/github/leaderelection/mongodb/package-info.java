/**
 * Keeps records in MongoDB, through its synchronous driver.
 * {@link io.github.leaderelection.mongodb.MongoRecordStore} describes the documents.
 */
@NullMarked
package io.github.leaderelection.mongodb;

import org.jspecify.annotations.NullMarked;
