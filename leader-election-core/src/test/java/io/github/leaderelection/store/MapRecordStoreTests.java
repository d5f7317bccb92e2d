package io.github.leaderelection.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The store shown in {@code docs/stores.md} keeps the contract, and elections work on it.
 */
class MapRecordStoreTests extends RecordStoreContractTests {

	private static final Path PAGE = Path.of("../docs/stores.md");

	private static final Path SOURCE = Path.of("src/test/java/io/github/leaderelection/store/MapRecordStore.java");

	private final RecordStore store = new MapRecordStore(KIND);

	@Override
	protected RecordStore store() {
		return this.store;
	}

	@Test
	void pageShowsThisStore() throws IOException {
		String source = Files.readString(SOURCE);
		String shown = source.substring(source.indexOf("class MapRecordStore"), source.indexOf("// end::store[]"));
		assertThat(Files.readString(PAGE)).contains(shown.strip());
	}

	@Test
	void leasesAreTakenAndReleased() {
		Map<String, RecordStore> kinds = new ConcurrentHashMap<>();
		RecordStores stores = new RecordStores() {

			@Override
			public RecordStore store(RecordKind kind) {
				return kinds.computeIfAbsent(kind.name(), (name) -> new MapRecordStore(kind));
			}

			@Override
			public String place() {
				return "a map";
			}

		};
		LeaseStore leases = LeaseStore.forElections(stores, "");
		Rival rival = new Rival(leases, "me", Duration.ofSeconds(10));
		assertThat(rival.take("jobs").term()).isEqualTo(1);
		rival.release("jobs");
		assertThat(rival.take("jobs").term()).isEqualTo(2);
		assertThat(leases.read(List.of("jobs"), List.of(), TIMEOUT).leases()).containsOnlyKeys("jobs");
	}

}
