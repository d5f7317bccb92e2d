package io.github.leaderelection.sample;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;

/**
 * The Chromium of this machine. None is ever downloaded.
 */
final class Chromium implements AutoCloseable {

	private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome");

	/** Arguments that also switch off the browser's own network traffic. */
	private static final List<String> ARGS = List.of("--no-sandbox", "--disable-gpu", "--disable-quic",
			"--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync");

	private final Playwright playwright;

	private final Browser browser;

	private final List<String> complaints = new ArrayList<>();

	private final List<String> requests = new ArrayList<>();

	Chromium(Path executable) {
		this.playwright = Playwright
			.create(new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
		this.browser = this.playwright.chromium()
			.launch(new BrowserType.LaunchOptions().setExecutablePath(executable).setArgs(ARGS));
	}

	static Optional<Path> find() {
		return Stream.of(System.getenv("PATH").split(File.pathSeparator))
			.flatMap((directory) -> NAMES.stream().map((name) -> Path.of(directory, name)))
			.filter(Files::isExecutable)
			.findFirst();
	}

	/**
	 * Open a page in a separate window.
	 */
	Page open(String address, Browser.NewContextOptions options) {
		BrowserContext context = this.browser.newContext(options);
		Page page = context.newPage();
		page.onPageError((error) -> this.complaints.add(error));
		page.onConsoleMessage((message) -> {
			if (!message.type().equals("log")) {
				this.complaints.add(message.text());
			}
		});
		page.onRequest((request) -> this.requests.add(request.url()));
		page.navigate(address);
		return page;
	}

	/**
	 * Forget all complaints and requests, and close all windows.
	 */
	void clear() {
		this.browser.contexts().forEach(BrowserContext::close);
		this.complaints.clear();
		this.requests.clear();
	}

	/**
	 * Return the script errors and the warnings of the browser.
	 */
	List<String> complaints() {
		return this.complaints;
	}

	/**
	 * Return the addresses that pages have requested.
	 */
	List<String> requests() {
		return this.requests;
	}

	@Override
	public void close() {
		this.playwright.close();
	}

}
