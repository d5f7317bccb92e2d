package io.github.leaderelection.actuate;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The result of an operation.
 *
 * @param message a sentence
 */
public record MessageDescriptor(String message) implements OperationResponseBody {

}
