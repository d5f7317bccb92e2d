package io.github.leaderelection.launcher;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Optional;

import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.types.ObjectId;

/**
 * Sends one command to one server of this machine, without the driver: no threads remain,
 * nothing is logged while the server is down, and no monitor has to notice that it is
 * back.
 */
final class ServerCommand {

	private static final int OP_MSG = 2013;

	private static final int HEADER_AND_FLAGS = 20;

	private static final Duration HELLO_TIMEOUT = Duration.ofSeconds(1);

	private static final int LARGEST_REPLY = 48 * 1024 * 1024;

	private ServerCommand() {
	}

	/**
	 * Run a command on the {@code admin} database, without authentication.
	 * @param port the server's port on the loopback address
	 * @param command the command
	 * @param timeout the longest wait for the connection, and then for the reply
	 * @return the reply, whether {@code ok} or not
	 * @throws IOException when the server does not answer
	 */
	static BsonDocument run(int port, BsonDocument command, Duration timeout) throws IOException {
		BsonDocument message = command.clone().append("$db", new BsonString("admin"));
		ByteBuffer body = new RawBsonDocument(message, new BsonDocumentCodec()).getByteBuffer().asNIO();
		ByteBuffer request = ByteBuffer.allocate(HEADER_AND_FLAGS + 1 + body.remaining())
			.order(ByteOrder.LITTLE_ENDIAN);
		request.putInt(request.capacity()).putInt(1).putInt(0).putInt(OP_MSG).putInt(0).put((byte) 0).put(body);
		try (Socket socket = new Socket()) {
			socket.setSoTimeout(Math.toIntExact(timeout.toMillis()));
			socket.connect(PortReservation.onLoopback(port), Math.toIntExact(timeout.toMillis()));
			socket.getOutputStream().write(request.array());
			return reply(new DataInputStream(socket.getInputStream()));
		}
	}

	/**
	 * Return the state that the server reports.
	 * @param port the server's port on the loopback address
	 * @return the state
	 */
	static ServerState state(int port) {
		return hello(port).map((reply) -> {
			if (isTrue(reply, "isWritablePrimary")) {
				return ServerState.PRIMARY;
			}
			return isTrue(reply, "secondary") ? ServerState.SECONDARY : ServerState.OTHER;
		}).orElse(ServerState.SILENT);
	}

	/**
	 * Return the id of the election that made the server the primary.
	 * @param port the server's port on the loopback address
	 * @return the election's id, greater for later ones; empty if it is not the primary
	 */
	static Optional<ObjectId> electionOfPrimary(int port) {
		return hello(port).filter((reply) -> isTrue(reply, "isWritablePrimary"))
			.map((reply) -> reply.getObjectId("electionId").getValue());
	}

	static boolean isOk(BsonDocument reply) {
		return reply.isNumber("ok") && reply.getNumber("ok").intValue() == 1;
	}

	private static Optional<BsonDocument> hello(int port) {
		try {
			return Optional.of(run(port, BsonDocument.parse("{hello: 1}"), HELLO_TIMEOUT));
		}
		catch (IOException ex) {
			return Optional.empty();
		}
	}

	private static boolean isTrue(BsonDocument reply, String field) {
		return reply.containsKey(field) && reply.getBoolean(field).getValue();
	}

	private static BsonDocument reply(DataInputStream in) throws IOException {
		byte[] length = in.readNBytes(Integer.BYTES);
		if (length.length < Integer.BYTES) {
			throw new IOException("The server closed the connection");
		}
		int rest = ByteBuffer.wrap(length).order(ByteOrder.LITTLE_ENDIAN).getInt() - Integer.BYTES;
		if (rest < HEADER_AND_FLAGS || rest > LARGEST_REPLY) {
			throw new IOException("Not a MongoDB server: a message of " + rest + " bytes");
		}
		byte[] message = new byte[rest];
		in.readFully(message);
		int start = HEADER_AND_FLAGS - Integer.BYTES + 1;
		// Copied, because a raw document decodes itself again at each access.
		return new RawBsonDocument(message, start, rest - start).decode(new BsonDocumentCodec());
	}

}
