-- Tables for leader election. Dates are stored as text; touched_at is in milliseconds since 1970.

CREATE TABLE IF NOT EXISTS leader_election_leases (
	id VARCHAR(1024) PRIMARY KEY,
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
	paused BOOLEAN
);

CREATE INDEX IF NOT EXISTS leader_election_leases_holder ON leader_election_leases (holder);

CREATE TABLE IF NOT EXISTS leader_election_locks (
	id VARCHAR(1024) PRIMARY KEY,
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
	paused BOOLEAN
);

CREATE INDEX IF NOT EXISTS leader_election_locks_holder ON leader_election_locks (holder);

CREATE TABLE IF NOT EXISTS leader_election_sessions (
	id VARCHAR(1024) PRIMARY KEY,
	revision BIGINT NOT NULL,
	touched_at BIGINT NOT NULL,
	state VARCHAR(1024),
	ttl_millis BIGINT
);

CREATE INDEX IF NOT EXISTS leader_election_sessions_state ON leader_election_sessions (state);

CREATE TABLE IF NOT EXISTS leader_election_candidates (
	id VARCHAR(1024) PRIMARY KEY,
	revision BIGINT NOT NULL,
	touched_at BIGINT NOT NULL,
	state VARCHAR(1024),
	application VARCHAR(1024),
	host VARCHAR(1024),
	version VARCHAR(1024),
	address VARCHAR(1024),
	elections VARCHAR(8192),
	paused VARCHAR(8192)
);

CREATE INDEX IF NOT EXISTS leader_election_candidates_state ON leader_election_candidates (state);

CREATE TABLE IF NOT EXISTS leader_election_runs (
	id VARCHAR(1024) PRIMARY KEY,
	revision BIGINT NOT NULL,
	touched_at BIGINT NOT NULL,
	fence BIGINT,
	covered VARCHAR(64),
	timetable VARCHAR(8192),
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
);

-- For fenced transactions: must be in the database that they write to.
CREATE TABLE IF NOT EXISTS leader_election_fence (
	id VARCHAR(1024) PRIMARY KEY,
	term BIGINT NOT NULL
);
