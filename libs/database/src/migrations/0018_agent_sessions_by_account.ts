import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration-runner/migration';

const UP = `
-- Accounts choose the ids of their sessions independently: two accounts may use the same one. id, to which all other
-- tables refer, is known to the service only; callers name a session by its public_id.
ALTER TABLE agent.sessions ADD COLUMN public_id text COLLATE "C";
UPDATE agent.sessions SET public_id = id;
ALTER TABLE agent.sessions ALTER COLUMN public_id SET NOT NULL,
  ADD CONSTRAINT sessions_public_id UNIQUE (account_id, public_id);

-- Versions of the service that do not know the column still create sessions while the replicas are restarted.
CREATE FUNCTION agent.set_public_id() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.public_id := NEW.id;
  RETURN NEW;
END $$;
CREATE TRIGGER public_id_set BEFORE INSERT ON agent.sessions
  FOR EACH ROW WHEN (NEW.public_id IS NULL) EXECUTE FUNCTION agent.set_public_id();
`;

const DOWN = `
-- A session gets its public id back as its id. If several accounts use it, it goes to the oldest session; the others keep
-- the id that their callers do not know.
ALTER TABLE agent.turns DROP CONSTRAINT turns_session_id_fkey,
  ADD CONSTRAINT turns_session_id_fkey FOREIGN KEY (session_id) REFERENCES agent.sessions ON UPDATE CASCADE;
ALTER TABLE agent.events DROP CONSTRAINT events_session_id_fkey,
  ADD CONSTRAINT events_session_id_fkey FOREIGN KEY (session_id) REFERENCES agent.sessions ON UPDATE CASCADE;
ALTER TABLE agent.tool_calls DROP CONSTRAINT tool_calls_session_id_fkey,
  ADD CONSTRAINT tool_calls_session_id_fkey FOREIGN KEY (session_id) REFERENCES agent.sessions ON UPDATE CASCADE;
UPDATE agent.sessions s SET id = s.public_id
FROM (
  SELECT DISTINCT ON (public_id) id FROM agent.sessions ORDER BY public_id, id <> public_id, created_at, id
) oldest
WHERE s.id = oldest.id AND s.id <> s.public_id
  AND NOT EXISTS (SELECT FROM agent.sessions taken WHERE taken.id = s.public_id);
ALTER TABLE agent.turns DROP CONSTRAINT turns_session_id_fkey,
  ADD CONSTRAINT turns_session_id_fkey FOREIGN KEY (session_id) REFERENCES agent.sessions ON DELETE CASCADE;
ALTER TABLE agent.events DROP CONSTRAINT events_session_id_fkey,
  ADD CONSTRAINT events_session_id_fkey FOREIGN KEY (session_id) REFERENCES agent.sessions ON DELETE CASCADE;
ALTER TABLE agent.tool_calls DROP CONSTRAINT tool_calls_session_id_fkey,
  ADD CONSTRAINT tool_calls_session_id_fkey FOREIGN KEY (session_id) REFERENCES agent.sessions ON DELETE CASCADE;

DROP TRIGGER public_id_set ON agent.sessions;
DROP FUNCTION agent.set_public_id();
ALTER TABLE agent.sessions DROP COLUMN public_id;
`;

export class AgentSessionsByAccount0000000000018 implements Migration {
  readonly acceptedLock = 'It was released before this check. It writes every agent session once.';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
