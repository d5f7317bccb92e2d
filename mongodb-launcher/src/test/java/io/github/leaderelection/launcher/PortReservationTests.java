package io.github.leaderelection.launcher;

import java.net.BindException;
import java.net.ConnectException;
import java.net.ServerSocket;
import java.net.Socket;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class PortReservationTests {

	@Test
	void connectingToAReservedPortIsRefused() throws Exception {
		try (PortReservation reservation = new PortReservation(); Socket socket = new Socket()) {
			assertThatExceptionOfType(ConnectException.class)
				.isThrownBy(() -> socket.connect(PortReservation.onLoopback(reservation.port())));
		}
	}

	@Test
	void aReservedPortCannotBeTaken() throws Exception {
		try (PortReservation reservation = new PortReservation(); ServerSocket socket = new ServerSocket()) {
			socket.setReuseAddress(false);
			assertThatExceptionOfType(BindException.class)
				.isThrownBy(() -> socket.bind(PortReservation.onLoopback(reservation.port())));
		}
	}

}
