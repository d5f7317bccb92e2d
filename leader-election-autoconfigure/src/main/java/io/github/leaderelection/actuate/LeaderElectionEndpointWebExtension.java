package io.github.leaderelection.actuate;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * {@link EndpointWebExtension} of the {@link LeaderElectionEndpoint}. Answers a refused
 * operation with a suitable status and a sentence.
 */
@EndpointWebExtension(endpoint = LeaderElectionEndpoint.class)
public class LeaderElectionEndpointWebExtension {

	private static final int ACCEPTED = 202;

	private final LeaderElectionEndpoint delegate;

	/**
	 * Create an extension.
	 * @param delegate the endpoint
	 */
	public LeaderElectionEndpointWebExtension(LeaderElectionEndpoint delegate) {
		this.delegate = delegate;
	}

	/**
	 * Describe one election.
	 * @param election the election name
	 * @return the election, or 404 and a sentence
	 */
	@ReadOperation
	public WebEndpointResponse<OperationResponseBody> election(@Selector String election) {
		return respond(WebEndpointResponse.STATUS_OK, () -> this.delegate.election(election));
	}

	/**
	 * Control this instance, or ask another one.
	 * @param election the election name
	 * @param action one of {@code resign}, {@code transfer}, {@code pause},
	 * {@code resume}, {@code pause-election}, {@code resume-election} and {@code trigger}
	 * @param candidate the id of the candidate to transfer leadership to. Only this
	 * instance, which is the default, can be paused or resumed.
	 * @param job the name of the job to trigger
	 * @param caller the caller, for the log
	 * @return 202 if the operation has begun or another instance was asked for it,
	 * otherwise 400, 404, 409 or 503; always with a sentence
	 */
	@WriteOperation
	public WebEndpointResponse<OperationResponseBody> steer(@Selector String election, @Nullable String action,
			@Nullable String candidate, @Nullable String job, SecurityContext caller) {
		return respond(ACCEPTED, () -> this.delegate.steer(election, action, candidate, job, caller.getPrincipal()));
	}

	private static WebEndpointResponse<OperationResponseBody> respond(int status,
			Supplier<OperationResponseBody> operation) {
		try {
			return new WebEndpointResponse<>(operation.get(), status);
		}
		catch (RefusedException ex) {
			return new WebEndpointResponse<>(new MessageDescriptor(String.valueOf(ex.getReason())), ex.status());
		}
	}

}
