package io.github.leaderelection.sample;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.launcher.MongoReplicaSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the page in a real browser, with three processes of the sample on a real MongoDB.
 * Skipped where there is no Chromium, unless {@code browser.required} is set. Screenshots
 * go to {@code target/screenshots}, or to the directory named by {@code screenshots}.
 */
@Tag("deep")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class PageIntegrationTests {

	private static final String ELECTION = "nightly-report";

	private static MongoReplicaSet mongo;

	private static SampleCluster cluster;

	private static Chromium chromium;

	@BeforeAll
	static void start() {
		Optional<Path> executable = Chromium.find();
		if (Boolean.getBoolean("browser.required")) {
			assertThat(executable).as("a chromium on the PATH").isPresent();
		}
		Assumptions.assumeTrue(executable.isPresent(), "There is no chromium on the PATH");
		PlaywrightAssertions.setDefaultAssertionTimeout(60_000);
		mongo = MongoReplicaSet.start(1);
		cluster = new SampleCluster(mongo, "page", "--management.endpoint.leaderelection.access=unrestricted");
		chromium = new Chromium(executable.get());
	}

	@AfterAll
	static void stop() throws Exception {
		for (AutoCloseable each : new AutoCloseable[] { chromium, cluster, mongo }) {
			if (each != null) {
				each.close();
			}
		}
	}

	@BeforeEach
	void startProcesses() {
		cluster.start(3 - cluster.living().size());
	}

	@AfterEach
	void closePages() {
		chromium.clear();
	}

	@Test
	void aLeaderThatIsKilledIsReplacedOnThePageOfAnother() {
		SampleProcess leader = cluster.awaitLeader(ELECTION);
		String killed = cluster.name(leader);
		Page page = open(follower(leader));
		assertThat(card(page)).containsText(killed + " leads");

		leader.kill();

		assertThat(instance(page, killed)).containsText("silent");
		assertThat(card(page)).not().containsText(killed + " leads");
		SampleProcess next = cluster.awaitLeader(ELECTION);
		assertThat(card(page)).containsText(cluster.name(next) + " leads");
		assertThat(page.locator("#status")).containsText(cluster.name(next) + " leads");
		assertThat(change(page, next)).containsText("after %s vanished".formatted(killed));
		assertThat(page.locator("#timeline .span[title^='%s,']".formatted(cluster.name(next)))).not().hasCount(0);
	}

	@Test
	void jobIsShownAndRunByAButtonOfItsLeader() {
		SampleProcess leader = cluster.awaitLeader(ELECTION);
		Page page = open(leader);
		Locator job = page.getByRole(AriaRole.ARTICLE, new Page.GetByRoleOptions().setName(ELECTION)).locator(".job");
		assertThat(job.locator(".last")).containsText("Last run: ");
		Locator button = button(page, "Run NightlyReport.write now");
		SampleCluster.await("run by hand").until(() -> {
			// Refused while a run is going on.
			button.click();
			return cluster.history().of(ELECTION).stream().anyMatch((run) -> run.cause() == Cause.TRIGGERED);
		});
		assertThat(button(open(follower(leader)), "Run NightlyReport.write now")).hasAttribute("aria-disabled", "true");
	}

	@Test
	void resignWorksOnThePagesOfLeaderAndFollower() {
		SampleProcess leader = cluster.awaitLeader(ELECTION);
		Page page = open(leader);
		// The page knows the leader a moment before it knows the names of instances.
		assertThat(card(page)).containsText(cluster.name(leader) + " leads");
		resignButton(page).click();
		button(page, "Cancel").click();
		assertThat(confirmButton(page, leader)).isHidden();
		assertThat(page.locator("#status")).not().containsText("to resign");
		resignButton(page).click();
		confirmButton(page, leader).click();
		assertThat(card(page)).not().containsText(cluster.name(leader) + " leads");

		SampleProcess second = cluster.awaitLeader(ELECTION);
		assertThat(second).isNotSameAs(leader);
		assertThat(card(page)).containsText(cluster.name(second) + " leads");
		resignButton(page).click();
		confirmButton(page, second).click();
		assertThat(card(page)).not().containsText(cluster.name(second) + " leads");
	}

	@Test
	void pauseButtonPausesTheInstanceOfThePage() {
		SampleProcess leader = cluster.awaitLeader(ELECTION);
		String name = cluster.name(leader);
		Page page = open(leader);
		Locator candidate = page.getByRole(AriaRole.ARTICLE, new Page.GetByRoleOptions().setName(ELECTION))
			.locator(".candidate", new Locator.LocatorOptions().setHasText("paused"));
		button(page, "Pause %s in %s".formatted(name, ELECTION)).click();
		assertThat(candidate).hasCount(1);
		SampleProcess next = cluster.awaitLeader(ELECTION);
		assertThat(next).isNotSameAs(leader);
		Page other = open(next);
		assertThat(instance(other, name)).containsText("paused");
		assertThat(transferButton(other, leader)).hasAttribute("aria-disabled", "true");
		button(page, "Resume %s in %s".formatted(name, ELECTION)).click();
		assertThat(candidate).hasCount(0);
	}

	@Test
	void worksWithTheKeyboardAlone() {
		SampleProcess leader = cluster.awaitLeader(ELECTION);
		SampleProcess named = follower(leader);
		Page page = open(leader);
		Locator button = transferButton(page, named);
		assertThat(button).isVisible();
		for (int i = 0; i < 40 && !isFocused(button); i++) {
			page.keyboard().press("Tab");
			assertThat(page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).isEqualTo("solid");
			assertThat(page.evaluate("parseFloat(getComputedStyle(document.activeElement).outlineWidth) >= 2"))
				.isEqualTo(true);
		}
		assertThat(isFocused(button)).isTrue();
		page.keyboard().press("Enter");
		assertThat(card(page)).containsText(cluster.name(named) + " leads");
		// The focus stays on the button, which is now disabled.
		assertThat(isFocused(button)).isTrue();
		assertThat(button).hasAttribute("aria-disabled", "true");
	}

	@Test
	void controlsHaveAccessibleNames() {
		SampleProcess leader = cluster.awaitLeader(ELECTION);
		Page page = open(follower(leader));
		assertThat(resignButton(page)).isVisible();
		assertThat(page.getByRole(AriaRole.METER, new Page.GetByRoleOptions().setName("Lease of " + ELECTION)))
			.isVisible();
		assertThat(transferButton(page, leader)).isVisible();
		@SuppressWarnings("unchecked")
		List<String> names = (List<String>) page.getByRole(AriaRole.BUTTON)
			.evaluateAll("(buttons) => buttons.map((button) => button.getAttribute('aria-label'))");
		assertThat(names).hasSizeGreaterThanOrEqualTo(3 * SampleCluster.ELECTIONS.size()).doesNotHaveDuplicates();
		assertThat(page.locator("#status")).hasRole(AriaRole.STATUS);
		assertThat(page.locator("h1")).hasCount(1);
	}

	@Test
	void fitsANarrowWindow() {
		SampleProcess leader = cluster.awaitLeader(ELECTION);
		Page page = open(leader, new NewContextOptions().setViewportSize(360, 740));
		assertThat(resignButton(page)).isVisible();
		assertThat((Integer) page.evaluate("document.documentElement.scrollWidth")).isLessThanOrEqualTo(360);
		assertThat(page.locator("button:visible")
			.evaluateAll("(buttons) => Math.min(...buttons.map((button) => button.offsetHeight))"))
			.isInstanceOfSatisfying(Number.class, (height) -> assertThat(height.doubleValue()).isBetween(24.0, 1000.0));
		page.setViewportSize(320, 740);
		assertThat((Integer) page.evaluate("document.documentElement.scrollWidth")).isLessThanOrEqualTo(320);
	}

	@Test
	void isLegibleInLightAndDark() {
		SampleProcess leader = cluster.awaitLeader(ELECTION);
		String script = """
				() => {
					const style = getComputedStyle(document.documentElement);
					const rgb = (name) => {
						const context = document.createElement("canvas").getContext("2d");
						context.fillStyle = style.getPropertyValue(name).trim();
						return [1, 3, 5].map((at) => parseInt(context.fillStyle.slice(at, at + 2), 16) / 255);
					};
					const luminance = (name) => rgb(name).map((c) => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
						.reduce((sum, c, at) => sum + c * [.2126, .7152, .0722][at], 0);
					const contrast = (one, other) => {
						const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a);
						return (high + .05) / (low + .05);
					};
					const pairs = [["--ink", "--card"], ["--ink", "--paper"], ["--soft", "--card"], ["--soft", "--paper"],
						["--ink", "--bad-paper"]];
					for (let i = 1; i <= 8; i++) {
						pairs.push(["--on-instance", "--instance-" + i]);
					}
					return Object.fromEntries(pairs.map((pair) => [pair.join(" on "), contrast(...pair)]));
				}
				""";
		for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
			Page page = open(leader, new NewContextOptions().setColorScheme(scheme));
			@SuppressWarnings("unchecked")
			Map<String, Number> contrasts = (Map<String, Number>) page.evaluate(script);
			assertThat(contrasts).hasSize(13)
				.allSatisfy((pair, contrast) -> assertThat(contrast.doubleValue()).as(scheme + " " + pair)
					.isGreaterThanOrEqualTo(4.5));
			String paper = (String) page.evaluate("getComputedStyle(document.body).backgroundColor");
			boolean dark = Pattern.compile("\\((\\d+)").matcher(paper).results().anyMatch((part) -> {
				return Integer.parseInt(part.group(1)) < 64;
			});
			assertThat(dark).as(paper).isEqualTo(scheme == ColorScheme.DARK);
		}
	}

	@Test
	void loadsNothingFromElsewhere() {
		SampleProcess leader = cluster.awaitLeader(ELECTION);
		Page page = open(leader);
		assertThat(resignButton(page)).isVisible();
		assertThat(chromium.requests()).hasSizeGreaterThan(5)
			.allMatch((address) -> address.startsWith(leader.address()));
		assertThat(chromium.complaints()).isEmpty();
		// An attempt to load from elsewhere is refused.
		assertThat(page.evaluate("(address) => fetch(address).then(() => 'loaded', () => 'refused')",
				follower(leader).address()))
			.isEqualTo("refused");
		assertThat(chromium.complaints()).anyMatch((complaint) -> complaint.contains("Content Security Policy"));
		assertThat(page.evaluate("""
				() => {
					const script = document.createElement("script");
					script.textContent = "window.ran = true";
					document.head.append(script);
					return window.ran === undefined;
				}
				""")).isEqualTo(true);
	}

	@Test
	void pageReportsThatItsInstanceIsGoneAndLinksToAnother() {
		SampleProcess gone = cluster.awaitLeader(ELECTION);
		SampleProcess other = follower(gone);
		Page page = open(gone);
		Page leaving = open(gone);
		assertThat(page.locator("#connection")).hasText("Live from " + cluster.name(gone));
		assertThat(instance(leaving, cluster.name(other))).isVisible();

		gone.kill();
		Locator trouble = page.getByRole(AriaRole.ALERT);
		assertThat(trouble).containsText(cluster.name(gone) + " does not answer");
		leaving.getByRole(AriaRole.ALERT)
			.getByRole(AriaRole.LINK, new Locator.GetByRoleOptions().setName(cluster.name(other)))
			.click();
		assertThat(leaving.locator("#connection")).hasText("Live from " + cluster.name(other));

		SampleProcess back = cluster.startInPlaceOf(gone);
		assertThat(page.locator("#connection")).hasText("Live from " + cluster.name(back));
		assertThat(trouble).isHidden();
	}

	@Test
	void openPagesDoNotDelayAShutdown() {
		SampleProcess stopped = cluster.awaitLeader(ELECTION);
		String name = cluster.name(stopped);
		Page page = open(follower(stopped));
		Page own = open(stopped);
		assertThat(own.locator("#connection")).hasText("Live from " + name);

		stopped.terminate();

		stopped.awaitEnd();
		assertThat(stopped.log().containing("still active")).isEmpty();
		assertThat(stopped.log().alarms()).isEmpty();
		assertThat(instance(page, name)).containsText("stopped");
		assertThat(own.getByRole(AriaRole.ALERT)).containsText(name + " does not answer");
	}

	@Test
	@Order(Integer.MAX_VALUE)
	void takesScreenshots() {
		// One election for each instance
		List<SampleProcess> living = cluster.living();
		Page page = open(living.get(0), new NewContextOptions().setViewportSize(1000, 860));
		for (int i = 0; i < SampleCluster.ELECTIONS.size(); i++) {
			String election = SampleCluster.ELECTIONS.get(i);
			SampleProcess next = living.get(i);
			if (cluster.awaitLeader(election) != next) {
				transferButton(page, election, next).click();
			}
			assertThat(card(page, election)).containsText(cluster.name(next) + " leads");
		}
		assertThat(change(page, living.get(2))).isVisible();
		assertThat(page.locator("#timeline .run")).not().hasCount(0);
		shoot(page, "page-light");
		page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.DARK));
		shoot(page, "page-dark");
		page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.LIGHT));
		page.setViewportSize(360, 740);
		shoot(page, "page-narrow");
	}

	private static void shoot(Page page, String name) {
		Path file = Path.of(System.getProperty("screenshots", "target/screenshots"), name + ".png");
		page.screenshot(new Page.ScreenshotOptions().setPath(file).setFullPage(true));
	}

	private static Page open(SampleProcess process) {
		return open(process, new NewContextOptions());
	}

	private static Page open(SampleProcess process, NewContextOptions options) {
		return chromium.open(process.address(), options);
	}

	private static SampleProcess follower(SampleProcess leader) {
		return cluster.living().stream().filter((process) -> process != leader).findFirst().orElseThrow();
	}

	private static Locator card(Page page) {
		return card(page, ELECTION);
	}

	private static Locator card(Page page, String election) {
		return page.getByRole(AriaRole.ARTICLE, new Page.GetByRoleOptions().setName(election)).locator(".leader");
	}

	private static Locator instance(Page page, String name) {
		return page.locator(".instance", new Page.LocatorOptions().setHasText(Pattern.compile(name + "\\b")));
	}

	private static Locator change(Page page, SampleProcess leader) {
		return page.locator(".change")
			.filter(new Locator.FilterOptions().setHasText(cluster.name(leader) + " leads " + ELECTION))
			.first();
	}

	private static Locator button(Page page, String name) {
		return page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
	}

	private static Locator resignButton(Page page) {
		return button(page, "Resign: let another instance lead " + ELECTION);
	}

	private static Locator confirmButton(Page page, SampleProcess leader) {
		return button(page, "Let %s resign from %s".formatted(cluster.name(leader), ELECTION));
	}

	private static Locator transferButton(Page page, SampleProcess to) {
		return transferButton(page, ELECTION, to);
	}

	private static Locator transferButton(Page page, String election, SampleProcess to) {
		return button(page, "Transfer %s to %s".formatted(election, cluster.name(to)));
	}

	private static boolean isFocused(Locator locator) {
		return (boolean) locator.evaluate("(element) => element === document.activeElement");
	}

}
