-- Tables of leader election. Dates in columns are texts; touched_at counts milliseconds since 1970.

CREATE TABLE IF NOT EXISTS leader_election_leases (
	id VARCHAR(700) PRIMARY KEY,
	revision BIGINT NOT NULL,
	touched_at BIGINT NOT NULL,
	holder VARCHAR(1024),
	term BIGINT,
	ttl_millis BIGINT,
	elected_at VARCHAR(64),
	successor VARCHAR(1024),
	request_term BIGINT,
	request_by VARCHAR(1024),
	request_successor VARCHAR(1024),
	paused BOOLEAN,
	INDEX leader_election_leases_holder (holder(255))
) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS leader_election_locks (
	id VARCHAR(700) PRIMARY KEY,
	revision BIGINT NOT NULL,
	touched_at BIGINT NOT NULL,
	holder VARCHAR(1024),
	term BIGINT,
	ttl_millis BIGINT,
	elected_at VARCHAR(64),
	successor VARCHAR(1024),
	request_term BIGINT,
	request_by VARCHAR(1024),
	request_successor VARCHAR(1024),
	paused BOOLEAN,
	INDEX leader_election_locks_holder (holder(255))
) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS leader_election_sessions (
	id VARCHAR(700) PRIMARY KEY,
	revision BIGINT NOT NULL,
	touched_at BIGINT NOT NULL,
	state VARCHAR(1024),
	ttl_millis BIGINT,
	INDEX leader_election_sessions_state (state(255))
) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS leader_election_candidates (
	id VARCHAR(700) PRIMARY KEY,
	revision BIGINT NOT NULL,
	touched_at BIGINT NOT NULL,
	state VARCHAR(1024),
	application VARCHAR(1024),
	host VARCHAR(1024),
	pid BIGINT,
	version VARCHAR(1024),
	address VARCHAR(1024),
	elections TEXT,
	paused TEXT,
	digest VARCHAR(1024),
	started_at VARCHAR(64),
	INDEX leader_election_candidates_state (state(255))
) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS leader_election_runs (
	id VARCHAR(700) PRIMARY KEY,
	revision BIGINT NOT NULL,
	touched_at BIGINT NOT NULL,
	fence BIGINT,
	covered VARCHAR(64),
	timetable TEXT,
	skipped BIGINT,
	missed BIGINT,
	run VARCHAR(1024),
	fire_time VARCHAR(64),
	cause VARCHAR(1024),
	attempt BIGINT,
	term BIGINT,
	candidate VARCHAR(1024),
	started_at VARCHAR(64),
	finished_at VARCHAR(64),
	outcome VARCHAR(1024)
) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
