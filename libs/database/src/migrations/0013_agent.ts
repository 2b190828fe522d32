import { type MigrationInterface, type QueryRunner } from 'typeorm';

const UP = `
CREATE SCHEMA agent;
GRANT USAGE ON SCHEMA agent TO agent;

-- The running processes of the service. A process that has not renewed its row in time counts as dead, and its turns fail.
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
  -- The last number given to an event and to a turn. A transaction that assigns a number locks the row.
  last_seq bigint NOT NULL DEFAULT 0,
  last_turn integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX sessions_account ON agent.sessions (account_id, created_at DESC, id DESC);

CREATE TABLE agent.turns (
  id text COLLATE "C" PRIMARY KEY,
  session_id text COLLATE "C" NOT NULL REFERENCES agent.sessions ON DELETE CASCADE,
  -- Number in the session, from 1. Turns run in this order.
  number integer NOT NULL,
  -- The key that pays for the model calls.
  api_key_id text NOT NULL REFERENCES accounts.api_keys,
  status text NOT NULL CHECK (status IN ('queued', 'running', 'requires_action', 'completed', 'failed', 'cancelled')),
  runner text,
  -- Number of the last stream event before the current or last model call.
  call_frame integer NOT NULL DEFAULT 0,
  -- Whether the model has answered. Later model calls leave out failed turns without an answer.
  answered boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended_at timestamptz,
  UNIQUE (session_id, number),
  CHECK ((status = 'running') = (runner IS NOT NULL)),
  CHECK ((status IN ('completed', 'failed', 'cancelled')) = (ended_at IS NOT NULL))
);
-- At most one turn of a session is running or waiting for tool results.
CREATE UNIQUE INDEX turns_active ON agent.turns (session_id) WHERE status IN ('running', 'requires_action');
CREATE INDEX turns_queued ON agent.turns (session_id, number) WHERE status = 'queued';
CREATE INDEX turns_running ON agent.turns (runner) WHERE status = 'running';

-- The messages and tool calls of a session, in order. Rows never change, except that idempotency keys are removed.
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
  -- Set for events of the assistant and of the end of a turn. The caller's events have the status of their turn.
  status text CHECK (status IN ('completed', 'incomplete', 'failed', 'cancelled')),
  finish_reason text,
  usage json,
  error json,
  -- Estimate of the tokens that the event takes in the context of a model.
  tokens integer NOT NULL,
  -- Number of the last stream event of the turn before this event. The stream of its answer begins after it.
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

-- The tool calls of the model. Each gets at most one result.
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
-- For the foreign key, when events are deleted.
CREATE INDEX tool_calls_answer ON agent.tool_calls (answered_by);

-- The stream events of the turns. Each is stored before it is sent. There is no foreign key, because it would lock the row
-- of the turn for each of tens of thousands of events per second. Events of deleted turns are removed with the old ones.
CREATE TABLE agent.frames (
  turn_id text COLLATE "C" NOT NULL,
  n integer NOT NULL,
  kind text NOT NULL,
  -- JSON as it is sent. For a delta, only the text.
  data text NOT NULL,
  PRIMARY KEY (turn_id, n)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA agent TO agent;
`;

const DOWN = `
-- Loses all agent sessions.
DROP SCHEMA agent CASCADE;
`;

export class Agent0000000000013 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
