import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

/** What model servers speak: a gateway of an older version calls all of them with chat completions. */
export class UpstreamProtocols0000000000067 implements Migration {
  readonly acceptedLock = 'An operator has some dozens of upstreams.';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE serving.upstreams ADD protocols text[] NOT NULL DEFAULT '{chat}'
        CONSTRAINT upstreams_protocols_check
        CHECK (cardinality(protocols) > 0 AND protocols <@ ARRAY['chat', 'responses', 'messages'])`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Loses which protocols upstreams speak.
      ALTER TABLE serving.upstreams DROP protocols`);
  }
}
