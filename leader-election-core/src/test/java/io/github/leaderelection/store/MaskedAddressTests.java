package io.github.leaderelection.store;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for addresses in {@link StoredText}.
 */
class MaskedAddressTests {

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
	void nothingOfThemIsLeftThoughTheAddressIsNotWellFormed(String address) {
		assertThat(StoredText.masked(address)).doesNotContain("secret", "cret").contains("******");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "web-1:8080", "http://web-1:8080/a?page=1;x#top", "http://[::1]:8080/", "/", "?",
			"#&=;", "http://web-1/?=1" })
	void addressWithoutCredentialsStaysAsItIs(String address) {
		assertThat(StoredText.masked(address)).isEqualTo(address);
	}

	@Test
	void maskingTwiceIsMaskingOnce() {
		String masked = StoredText.masked("http://user:secret@web-1/?token=x&y=1");
		assertThat(StoredText.masked(masked)).isEqualTo(masked);
	}

	@Test
	void longTextNeedsNoDeepStack() {
		assertThat(StoredText.masked("a:bb:".repeat(50_000) + "@host")).endsWith("host").doesNotContain("bb");
	}

}
