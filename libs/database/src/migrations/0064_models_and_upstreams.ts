import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = `
CREATE SCHEMA serving;
GRANT USAGE ON SCHEMA serving TO console, gateway;
-- What is known of a model beside its prices. A priced model without a row has the limits of the row '*', if there is one.
CREATE TABLE serving.models (
  id text COLLATE "C" PRIMARY KEY,
  slug text NOT NULL UNIQUE,
  name text,
  context_tokens integer CHECK (context_tokens > 0),
  max_output_tokens integer CHECK (max_output_tokens > 0),
  -- Null: not known.
  input_modalities text[],
  output_modalities text[],
  -- The field in which the model's servers accept the limit of an answer.
  output_limit_field text NOT NULL DEFAULT 'max_tokens' CHECK (output_limit_field IN ('max_tokens', 'max_completion_tokens')),
  -- Further names under which it is called.
  aliases text[] NOT NULL DEFAULT '{}',
  -- Slugs of the models that answer if no upstream of this one does, in order.
  fallbacks text[] NOT NULL DEFAULT '{}',
  state text NOT NULL DEFAULT 'offered' CHECK (state IN ('offered', 'hidden', 'retired')),
  -- The slug that is proposed instead of a retired one.
  successor text,
  -- The digest of the configuration that made the row; null once an operator has made or changed it.
  filled_digest text,
  -- Grows by one with each change.
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
-- Model servers.
CREATE TABLE serving.upstreams (
  id text COLLATE "C" PRIMARY KEY,
  -- As usage events name it.
  name text NOT NULL UNIQUE,
  base_url text NOT NULL,
  region text,
  -- The header of the credential; 'authorization' has it as a Bearer token.
  credential_header text NOT NULL DEFAULT 'authorization',
  state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'draining', 'off')),
  -- Of all gateways together. Null: no limit.
  requests_per_minute integer CHECK (requests_per_minute > 0),
  tokens_per_minute bigint CHECK (tokens_per_minute > 0),
  concurrency integer CHECK (concurrency > 0),
  -- Null: as the gateway is configured.
  connect_timeout_ms integer CHECK (connect_timeout_ms > 0),
  first_byte_timeout_ms integer CHECK (first_byte_timeout_ms > 0),
  idle_timeout_ms integer CHECK (idle_timeout_ms > 0),
  filled_digest text,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
-- The newest one is used; the others are used when it is refused.
CREATE TABLE serving.upstream_credentials (
  id text COLLATE "C" PRIMARY KEY,
  upstream_id text NOT NULL REFERENCES serving.upstreams ON DELETE CASCADE,
  -- Encrypted with a key of console and gateway.
  sealed text NOT NULL,
  -- The last characters, for people.
  hint text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX upstream_credentials_upstream ON serving.upstream_credentials (upstream_id);
CREATE TABLE serving.upstream_models (
  upstream_id text REFERENCES serving.upstreams ON DELETE CASCADE,
  -- A slug; '*' is every priced model that the upstream does not name.
  model text,
  -- The upstream's own name of the model; null: the slug.
  upstream_name text,
  -- Share of the calls among the upstreams with the same priority.
  weight integer NOT NULL DEFAULT 100 CHECK (weight BETWEEN 0 AND 1000),
  -- The lowest one is called first.
  priority integer NOT NULL DEFAULT 0 CHECK (priority BETWEEN 0 AND 1000),
  PRIMARY KEY (upstream_id, model)
);
-- Which of 'upstreams' and 'models' a configuration has filled once: what operators delete of them stays deleted.
CREATE TABLE serving.fillings (
  part text PRIMARY KEY,
  filled_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
-- What each running gateway sees of the upstreams.
CREATE TABLE serving.gateway_reports (
  gateway_id text COLLATE "C" PRIMARY KEY,
  reported_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  upstreams json NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON serving.models, serving.upstreams, serving.upstream_credentials, serving.upstream_models TO console;
GRANT SELECT, INSERT, DELETE ON serving.models, serving.upstreams, serving.upstream_credentials, serving.upstream_models TO gateway;
GRANT SELECT, INSERT ON serving.fillings TO gateway;
GRANT SELECT ON serving.fillings TO console;
GRANT SELECT, INSERT, UPDATE, DELETE ON serving.gateway_reports TO gateway;
GRANT SELECT ON serving.gateway_reports TO console;
`;

// Loses models and upstreams: the version before takes both from its environment.
const DOWN = `
DROP SCHEMA serving CASCADE;
`;

/** Models and the servers that serve them are data, which operators change without a restart. */
export class ModelsAndUpstreams0000000000064 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
