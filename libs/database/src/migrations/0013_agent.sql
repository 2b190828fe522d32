-- Up Migration
CREATE SCHEMA agent;
GRANT USAGE ON SCHEMA agent TO agent;

-- The running processes of the service. One whose time has passed without renewal is dead, and so are the turns it ran.
CREATE TABLE agent.replicas (
  id text PRIMARY KEY,
  expires_at timestamptz NOT NULL
);

CREATE TABLE agent.sessions (
  id text COLLATE "C" PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts.accounts,
  model text,
  system text,
  tools json NOT NULL DEFAULT '[]',
  metadata json NOT NULL DEFAULT '{}',
  -- The last numbers given out: of an event, and of a turn. Whoever gives one out holds the row's lock.
  last_seq bigint NOT NULL DEFAULT 0,
  last_turn integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX sessions_account ON agent.sessions (account_id, created_at DESC, id DESC);

CREATE TABLE agent.turns (
  id text COLLATE "C" PRIMARY KEY,
  session_id text COLLATE "C" NOT NULL REFERENCES agent.sessions ON DELETE CASCADE,
  -- In the session, from 1; turns run in this order.
  number integer NOT NULL,
  -- On whose behalf the model is called.
  api_key_id text NOT NULL REFERENCES accounts.api_keys,
  status text NOT NULL CHECK (status IN ('queued', 'running', 'requires_action', 'completed', 'failed', 'cancelled')),
  runner text,
  -- The last frame before the model call that is under way, or came last.
  call_frame integer NOT NULL DEFAULT 0,
  -- The model has said something in it: only such a turn is part of what later calls are told.
  answered boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended_at timestamptz,
  UNIQUE (session_id, number),
  CHECK ((status = 'running') = (runner IS NOT NULL)),
  CHECK ((status IN ('completed', 'failed', 'cancelled')) = (ended_at IS NOT NULL))
);
-- At most one turn of a session runs or waits for tools, whatever the callers do.
CREATE UNIQUE INDEX turns_active ON agent.turns (session_id) WHERE status IN ('running', 'requires_action');
CREATE INDEX turns_queued ON agent.turns (session_id, number) WHERE status = 'queued';
CREATE INDEX turns_running ON agent.turns (runner) WHERE status = 'running';

-- What was said, in order and for good. Nothing but an idempotency key is ever taken away from it.
CREATE TABLE agent.events (
  id text COLLATE "C" PRIMARY KEY,
  session_id text COLLATE "C" NOT NULL REFERENCES agent.sessions ON DELETE CASCADE,
  seq bigint NOT NULL,
  turn_id text COLLATE "C" NOT NULL REFERENCES agent.turns ON DELETE CASCADE,
  type text NOT NULL CHECK (type IN ('message', 'tool_calls', 'tool_result', 'turn.failed', 'turn.cancelled')),
  role text NOT NULL CHECK (role IN ('user', 'assistant', 'tool')),
  content text NOT NULL,
  tool_calls json,
  tool_call_results json,
  -- Of what the assistant said; the caller's events have the status of their turn.
  status text CHECK (status IN ('completed', 'incomplete', 'failed', 'cancelled')),
  finish_reason text,
  usage json,
  error json,
  -- What it takes of a model's context, as estimated.
  tokens integer NOT NULL,
  -- The last frame of the turn before this event came: from there on a stream of its answer goes.
  after_frame integer NOT NULL,
  idempotency_key text,
  fingerprint bytea,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (session_id, seq),
  CHECK ((status IS NULL) = (role <> 'assistant' AND type NOT IN ('turn.failed', 'turn.cancelled'))),
  CHECK ((idempotency_key IS NULL) = (fingerprint IS NULL))
);
CREATE INDEX events_turn ON agent.events (turn_id, seq);
CREATE UNIQUE INDEX events_idempotency ON agent.events (session_id, idempotency_key) WHERE idempotency_key IS NOT NULL;

-- The calls of tools that the model made, until each has one result.
CREATE TABLE agent.tool_calls (
  session_id text COLLATE "C" NOT NULL REFERENCES agent.sessions ON DELETE CASCADE,
  id text NOT NULL,
  turn_id text COLLATE "C" NOT NULL REFERENCES agent.turns ON DELETE CASCADE,
  position integer NOT NULL,
  call json NOT NULL,
  answered_by text REFERENCES agent.events ON DELETE CASCADE,
  PRIMARY KEY (session_id, id)
);
CREATE INDEX tool_calls_turn ON agent.tool_calls (turn_id, position);
-- For what goes with an event that is deleted.
CREATE INDEX tool_calls_answer ON agent.tool_calls (answered_by);

-- What the streams of a turn send, one row a frame: written before it is sent. Without a foreign key, which would lock
-- the turn's row for each of tens of thousands a second; the frames of a turn that is gone go with the old ones.
CREATE TABLE agent.frames (
  turn_id text COLLATE "C" NOT NULL,
  n integer NOT NULL,
  kind text NOT NULL,
  -- JSON, as it is sent; of a delta the text itself.
  data text NOT NULL,
  PRIMARY KEY (turn_id, n)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA agent TO agent;
