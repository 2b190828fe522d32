CREATE SCHEMA agent;
GRANT USAGE ON SCHEMA agent TO agent;

-- The running processes of the service. A process that has not renewed its row in time counts as dead, and its turns fail.
CREATE TABLE agent.replicas (
  id text,
  expires_at timestamptz NOT NULL,
  CONSTRAINT replicas_pkey PRIMARY KEY (id)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON agent.replicas TO agent;

CREATE TABLE agent.sessions (
  id text COLLATE "C",
  account_id text NOT NULL,
  model text,
  system text,
  tools json NOT NULL DEFAULT '[]',
  metadata json NOT NULL DEFAULT '{}',
  -- The last number given to an event and to a turn. A transaction that assigns a number locks the row.
  last_seq bigint NOT NULL DEFAULT 0,
  last_turn integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Accounts choose the ids of their sessions independently: two accounts may use the same one. id, to which all other
  -- tables refer, is known to the service only; callers name a session by its public_id.
  public_id text COLLATE "C" NOT NULL,
  CONSTRAINT sessions_pkey PRIMARY KEY (id),
  CONSTRAINT sessions_public_id UNIQUE (account_id, public_id),
  CONSTRAINT sessions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts.accounts (id)
);
CREATE INDEX sessions_account ON agent.sessions (account_id, created_at DESC, id DESC);
GRANT SELECT, INSERT, UPDATE, DELETE ON agent.sessions TO agent;

CREATE TABLE agent.turns (
  id text COLLATE "C",
  session_id text COLLATE "C" NOT NULL,
  -- Number in the session, from 1. Turns run in this order.
  number integer NOT NULL,
  -- The key that pays for the model calls.
  api_key_id text,
  status text NOT NULL,
  runner text,
  -- Number of the last stream event before the current or last model call.
  call_position integer NOT NULL DEFAULT 0,
  -- Whether the model has answered. Later model calls leave out failed turns without an answer.
  answered boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended_at timestamptz,
  CONSTRAINT turns_pkey PRIMARY KEY (id),
  CONSTRAINT turns_session_id_number_key UNIQUE (session_id, number),
  CONSTRAINT turns_status_check CHECK (status IN ('queued', 'running', 'requires_action', 'completed', 'failed', 'cancelled')),
  CONSTRAINT turns_check CHECK ((status = 'running') = (runner IS NOT NULL)),
  CONSTRAINT turns_check1 CHECK (status IN ('completed', 'failed', 'cancelled') = (ended_at IS NOT NULL)),
  CONSTRAINT turns_session_id_fkey FOREIGN KEY (session_id) REFERENCES agent.sessions (id) ON DELETE CASCADE,
  CONSTRAINT turns_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES accounts.api_keys (id)
);
-- At most one turn of a session is running or waiting for tool results.
CREATE UNIQUE INDEX turns_active ON agent.turns (session_id) WHERE status IN ('running', 'requires_action');
CREATE INDEX turns_queued ON agent.turns (session_id, number) WHERE status = 'queued';
CREATE INDEX turns_running ON agent.turns (runner) WHERE status = 'running';
GRANT SELECT, INSERT, UPDATE, DELETE ON agent.turns TO agent;

-- The messages and tool calls of a session, in order. Rows never change, except that idempotency keys are removed.
CREATE TABLE agent.events (
  id text COLLATE "C",
  session_id text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  turn_id text COLLATE "C" NOT NULL,
  type text NOT NULL,
  role text NOT NULL,
  content text NOT NULL,
  tool_calls json,
  tool_call_results json,
  -- Set for events of the assistant and of the end of a turn. The caller's events have the status of their turn.
  status text,
  finish_reason text,
  usage json,
  error json,
  -- Estimate of the tokens that the event takes in the context of a model.
  tokens integer NOT NULL,
  -- Number of the last stream event of the turn before this event. The stream of its answer begins after it.
  after_position integer NOT NULL,
  idempotency_key text,
  fingerprint bytea,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Name the calls of models that an answer cost, as metering.usage_events does. Answers of earlier versions have none.
  request_id text,
  CONSTRAINT events_pkey PRIMARY KEY (id),
  CONSTRAINT events_session_id_seq_key UNIQUE (session_id, seq),
  CONSTRAINT events_type_check CHECK (type IN ('message', 'tool_calls', 'tool_result', 'turn.failed', 'turn.cancelled')),
  CONSTRAINT events_role_check CHECK (role IN ('user', 'assistant', 'tool')),
  CONSTRAINT events_status_check CHECK (status IN ('completed', 'incomplete', 'failed', 'cancelled')),
  CONSTRAINT events_check CHECK ((status IS NULL) = ((role <> 'assistant') AND type NOT IN ('turn.failed', 'turn.cancelled'))),
  CONSTRAINT events_check1 CHECK ((idempotency_key IS NULL) = (fingerprint IS NULL)),
  CONSTRAINT events_session_id_fkey FOREIGN KEY (session_id) REFERENCES agent.sessions (id) ON DELETE CASCADE,
  CONSTRAINT events_turn_id_fkey FOREIGN KEY (turn_id) REFERENCES agent.turns (id) ON DELETE CASCADE
);
CREATE INDEX events_turn ON agent.events (turn_id, seq);
CREATE UNIQUE INDEX events_idempotency ON agent.events (session_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON agent.events TO agent;

-- The tool calls of the model. Each gets at most one result.
CREATE TABLE agent.tool_calls (
  session_id text COLLATE "C",
  id text,
  turn_id text COLLATE "C" NOT NULL,
  position integer NOT NULL,
  call json NOT NULL,
  answered_by text,
  CONSTRAINT tool_calls_pkey PRIMARY KEY (session_id, id),
  CONSTRAINT tool_calls_session_id_fkey FOREIGN KEY (session_id) REFERENCES agent.sessions (id) ON DELETE CASCADE,
  CONSTRAINT tool_calls_turn_id_fkey FOREIGN KEY (turn_id) REFERENCES agent.turns (id) ON DELETE CASCADE,
  CONSTRAINT tool_calls_answered_by_fkey FOREIGN KEY (answered_by) REFERENCES agent.events (id) ON DELETE CASCADE
);
CREATE INDEX tool_calls_turn ON agent.tool_calls (turn_id, position);
-- For the foreign key, when events are deleted.
CREATE INDEX tool_calls_answer ON agent.tool_calls (answered_by);
GRANT SELECT, INSERT, UPDATE, DELETE ON agent.tool_calls TO agent;

-- The stream events of the turns. Each is stored before it is sent. There is no foreign key, because it would lock the row
-- of the turn for each of tens of thousands of events per second. Events of deleted turns are removed with the old ones.
CREATE TABLE agent.stream_events (
  turn_id text COLLATE "C",
  n integer,
  kind text NOT NULL,
  -- JSON as it is sent. For a delta, only the text.
  data text NOT NULL,
  CONSTRAINT stream_events_pkey PRIMARY KEY (turn_id, n)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON agent.stream_events TO agent;
