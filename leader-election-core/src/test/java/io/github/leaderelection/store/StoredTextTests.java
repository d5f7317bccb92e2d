package io.github.leaderelection.store;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link StoredText}, and for the code that uses it.
 */
class StoredTextTests {

	@ParameterizedTest
	@ValueSource(strings = { "\n", "\r", "\t", "\u0000", "\u001b", "\u0085", "\u009b", "\u2028", "\u2029", "\u200e",
			"\u202e", "\u2066", "\u061c", "\u200b", "\ufeff", "\ud800", "\udc00", "\u00ad" })
	void unprintableCharacterIsReplaced(String character) {
		assertThat(StoredText.printable("a" + character + "b")).isEqualTo("a?b");
	}

	@Test
	void printableTextIsUnchanged() {
		assertThat(StoredText.printable("shop@web-1:4711-k3v9 ÄÖ 日本 \ud83d\ude80"))
			.isEqualTo("shop@web-1:4711-k3v9 ÄÖ 日本 \ud83d\ude80");
	}

	@Test
	void longTextIsTruncatedBetweenCharacters() {
		assertThat(StoredText.printable("x".repeat(16_000_000))).hasSize(StoredText.MAX_LENGTH + 1).endsWith("x…");
		String rockets = "x" + "\ud83d\ude80".repeat(StoredText.MAX_LENGTH);
		assertThat(StoredText.printable(rockets)).endsWith("\ud83d\ude80…").doesNotContain("?");
	}

	@Test
	void holdersThatLookTheSameStayDifferent() {
		Lease lease = new Lease("x", "a?", 1, 1, 2, Duration.ofSeconds(1), null, null, null, false);
		Lease other = new Lease("x", "a\n", 1, 1, 2, Duration.ofSeconds(1), null, null, null, false);
		assertThat(lease).isNotEqualTo(other);
		assertThat(lease.isSameRevisionAs(other)).isFalse();
		assertThat(other.isHeldBy("a?")).isFalse();
	}

	@Test
	void unprintableCauseIsLeftOut() {
		IllegalStateException root = new IllegalStateException("dup key: {_id: 'a\nERROR forged'}");
		IllegalStateException suppressing = new IllegalStateException("clean");
		suppressing.addSuppressed(new IllegalArgumentException("b\u001b[1A"));
		for (Throwable cause : List.of(root, new RuntimeException("clean", root), suppressing,
				new IllegalStateException("x".repeat(4001)))) {
			assertThat(new LeaseStoreException("Could not\nread", cause)).hasMessage("Could not?read").hasNoCause();
		}
	}

	@Test
	void printableCauseIsKept() {
		IllegalStateException cause = new IllegalStateException("plain", new RuntimeException("too"));
		assertThat(new LeaseStoreException("Could not read", cause)).hasCause(cause);
		assertThat(new LeaseStoreException("Could not read", null)).hasNoCause();
	}

	@Test
	void circularCausesAreHandled() {
		IllegalStateException one = new IllegalStateException("one");
		one.initCause(new IllegalStateException("two", one));
		assertThat(new LeaseStoreException("Could not read", one)).hasNoCause();
	}

	// Addresses

	@ParameterizedTest
	@CsvSource({ "http://user:secret@web-1:8080/, http://******@web-1:8080/",
			"user:secret@web-1:8080, ******@web-1:8080", "//user:secret@web-1, //******@web-1",
			"secret@web-1, ******@web-1", "jdbc:mongodb://user:secret@db-1/, jdbc:mongodb://******@db-1/",
			"http://web-1/?page=2&token=secret&x=1, http://web-1/?page=2&token=******&x=1",
			"http://web-1/#access_token=secret, http://web-1/#access_token=******" })
	void credentialsAreMasked(String address, String masked) {
		assertThat(StoredText.masked(address)).isEqualTo(masked);
	}

	@ParameterizedTest
	@ValueSource(strings = { "http://user:se/cret@web-1:8080/", "http://user:se?cret@web-1",
			"http://user:se#cret@web-1", "http://user:a/b?c#d@e@secret@web-1", "http://user:123/secret@web-1",
			"http://secret/@web-1", "user:se//cret@web-1", "http://user:pass secret@web-1",
			"http://user:pass\nsecret@web-1", "mongodb://db-1/?authMechanismProperties=AWS_SESSION_TOKEN:secret",
			"mongodb://db-1/?tlsCertificateKeyFilePassword=secret", "http://web-1/?PASSWORD=secret",
			"http://web-1/?p%61ssword=secret", "http://web-1/?a=1?password=secret", "http://web-1/;jsessionid=secret",
			"http://web-1/?password=a#secret", "http://web-1/?password=a;secret", "http://web-1/?x=1;api-key=secret",
			"http://web-1/?a=b=c&sig=secret", "http://web-1/?%zzkey=secret", "?token=secret", "http://u:secret@",
			"@secret@", "http://one:secret@web-1,http://two:secret@web-2" })
	void credentialsInMalformedAddressesAreMasked(String address) {
		assertThat(StoredText.masked(address)).doesNotContain("secret", "cret").contains("******");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "web-1:8080", "http://web-1:8080/a?page=1;x#top", "http://[::1]:8080/", "/", "?",
			"#&=;", "http://web-1/?=1" })
	void addressWithoutCredentialsIsUnchanged(String address) {
		assertThat(StoredText.masked(address)).isEqualTo(address);
	}

	@Test
	void maskingIsIdempotent() {
		String masked = StoredText.masked("http://user:secret@web-1/?token=x&y=1");
		assertThat(StoredText.masked(masked)).isEqualTo(masked);
	}

	@Test
	void longTextNeedsNoDeepStack() {
		assertThat(StoredText.masked("a:bb:".repeat(50_000) + "@host")).endsWith("host").doesNotContain("bb");
	}

}
