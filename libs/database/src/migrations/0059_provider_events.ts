import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = `
-- Signed notifications of payment providers that the platform does not act on: disputes, refunds made at the provider, and others.
CREATE TABLE billing.provider_events (
  id text PRIMARY KEY,
  provider text NOT NULL,
  -- The provider's own id of the event.
  event_id text NOT NULL,
  type text NOT NULL,
  kind text NOT NULL,
  payment_id text,
  amount_minor bigint,
  currency text,
  -- The provider's words for the state and the reason of a dispute or refund.
  status text,
  reason text,
  -- What the provider has signed, in JSON.
  content text NOT NULL,
  received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  closed_at timestamptz,
  closed_as text,
  closed_by text,
  note text,
  CONSTRAINT provider_events_event_key UNIQUE (provider, event_id),
  CONSTRAINT provider_events_kind_check CHECK (kind IN ('dispute', 'refund', 'other')),
  CONSTRAINT provider_events_closed_as_check CHECK (closed_as IN ('own_refund', 'handled')),
  CONSTRAINT provider_events_closed_check CHECK ((closed_at IS NULL) = (closed_as IS NULL)),
  CONSTRAINT provider_events_payment_fkey FOREIGN KEY (payment_id) REFERENCES billing.payments (id),
  CONSTRAINT provider_events_closed_by_fkey FOREIGN KEY (closed_by) REFERENCES accounts.accounts (id)
);
CREATE INDEX provider_events_time ON billing.provider_events (received_at DESC, id DESC);
CREATE INDEX provider_events_payment ON billing.provider_events (payment_id);
CREATE INDEX provider_events_open ON billing.provider_events (received_at DESC, id DESC) WHERE closed_at IS NULL;
GRANT SELECT, INSERT ON billing.provider_events TO console;
GRANT UPDATE (closed_at, closed_as, closed_by, note) ON billing.provider_events TO console;
`;

const DOWN = `
-- Loses the stored events. The providers still have them.
DROP TABLE billing.provider_events;
`;

/** Events of payment providers that nobody handles are kept and shown. */
export class ProviderEvents0000000000059 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
