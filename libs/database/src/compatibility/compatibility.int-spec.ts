import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PoolDataSource } from '../data-source';
import { DatabaseBefore } from '../database-before.fixture';
import { parseStatements, type Statement } from '../lock-check/checked-statements';
import { BASELINE } from '../migration-runner/migration-runner';
import { describeMigration } from '../migration';
import { MIGRATIONS } from '../migration-runner/migration-list';
import { ACCEPTED_CHANGES } from './accepted-changes.fixture';
import { findIncompatibleChanges, namesCreatedBy } from './incompatible-changes.fixture';

const PREVIOUS_BUILD = join(__dirname, '../../../../tools/e2e/src/upgrade/previous-build.json');

const changesOf = async (text: string) => findIncompatibleChanges(await parseStatements(text));

describe('the check for incompatible changes', () => {
  it.each([
    ['DROP TABLE a.t', 'DROP TABLE a.t'],
    ['DROP FUNCTION a.f(integer)', 'DROP FUNCTION a.f'],
    ['DROP INDEX a.t_key', 'DROP INDEX a.t_key'],
    ['DROP SCHEMA a', 'DROP SCHEMA a'],
    ['ALTER TABLE a.t RENAME TO u', 'RENAME TABLE a.t'],
    ['ALTER TABLE a.t RENAME COLUMN c TO d', 'RENAME COLUMN a.t c'],
    ['ALTER FUNCTION a.f RENAME TO g', 'RENAME FUNCTION a.f'],
    ['ALTER TABLE a.t SET SCHEMA b', 'SET SCHEMA of a.t'],
    ['ALTER TABLE a.t DROP c', 'ALTER TABLE a.t DROP COLUMN c'],
    ['ALTER TABLE a.t ALTER c TYPE text', 'ALTER TABLE a.t ALTER c TYPE'],
    ['ALTER TABLE a.t ALTER c SET NOT NULL', 'ALTER TABLE a.t ALTER c SET NOT NULL'],
    ['ALTER TABLE a.t ALTER c DROP NOT NULL', 'ALTER TABLE a.t ALTER c DROP NOT NULL'],
    ['ALTER TABLE a.t ALTER c DROP DEFAULT', 'ALTER TABLE a.t ALTER c DROP DEFAULT'],
    ['ALTER TABLE a.t ADD c text NOT NULL', 'ALTER TABLE a.t ADD c NOT NULL without a default'],
    ['ALTER TABLE a.t ADD CONSTRAINT k CHECK (c > 0) NOT VALID', 'ALTER TABLE a.t ADD CONSTRAINT k'],
    ['ALTER TABLE a.t DROP CONSTRAINT k', 'ALTER TABLE a.t DROP CONSTRAINT k'],
    ['CREATE UNIQUE INDEX k ON a.t (c)', 'CREATE UNIQUE INDEX on a.t'],
    ['CREATE TRIGGER k BEFORE INSERT ON a.t EXECUTE FUNCTION a.f()', 'CREATE TRIGGER on a.t'],
    ['REVOKE SELECT ON a.t FROM console', 'REVOKE on a.t'],
    ['TRUNCATE a.t', 'TRUNCATE a.t'],
    ['DO $$ BEGIN END $$', 'A block of code, which this check cannot look into'],
  ])('finds %s', async (statement, change) => {
    expect(await changesOf(statement)).toEqual([change]);
  });

  it.each([
    'ALTER TABLE a.t ADD c text',
    'ALTER TABLE a.t ADD c text NOT NULL DEFAULT 0',
    'ALTER TABLE a.t ADD c integer NOT NULL GENERATED ALWAYS AS IDENTITY',
    'CREATE INDEX k ON a.t (c)',
    'CREATE OR REPLACE FUNCTION a.f() RETURNS integer LANGUAGE sql AS $$ SELECT 1 $$',
    'GRANT SELECT ON a.t TO console',
    'CREATE TABLE a.t (c text); CREATE UNIQUE INDEX k ON a.t (c); ALTER TABLE a.t ADD d text NOT NULL',
    'CREATE FUNCTION a.f() RETURNS integer LANGUAGE sql AS $$ SELECT 1 $$; REVOKE EXECUTE ON FUNCTION a.f FROM PUBLIC',
    'DROP INDEX CONCURRENTLY IF EXISTS a.k; CREATE INDEX CONCURRENTLY k ON a.t (c)',
  ])('accepts %s', async (statements) => {
    expect(await changesOf(statements)).toEqual([]);
  });
});

describe('the migrations since the previous version', () => {
  const { version, newestMigration } = JSON.parse(readFileSync(PREVIOUS_BUILD, 'utf8')) as {
    version: string;
    newestMigration: string;
  };
  const names = MIGRATIONS.map(({ name }) => describeMigration(name).name);
  const baseline = BASELINE.map((name) => describeMigration(name).name);
  const added = names.slice(names.indexOf(newestMigration) + 1);
  const statements = new Map<string, Statement[]>();

  // The migrations run, because the statements of some depend on what they find.
  beforeAll(async () => {
    if (!added[0]) return;
    const database = await DatabaseBefore.create(added[0]);
    const dataSource = new PoolDataSource({ url: database.url, applicationName: 'test', size: 1 });
    try {
      await dataSource.initialize();
      for (const name of added) statements.set(name, await runMigration(dataSource, name));
    } finally {
      await dataSource.pool.end();
      await database.drop();
    }
  });

  /** Returns the statements that the migration has sent. */
  async function runMigration(dataSource: PoolDataSource, name: string): Promise<Statement[]> {
    const runner = dataSource.createQueryRunner();
    const query = runner.query.bind(runner);
    const sent: Statement[] = [];
    runner.query = (async (...statement: Parameters<typeof query>) => {
      sent.push(...(await parseStatements(statement[0])));
      return query(...statement);
    }) as typeof query;
    await new MIGRATIONS[names.indexOf(name)]!().up(runner);
    await runner.release();
    return sent;
  }

  it(`leave a service of ${version} what it uses, except what is accepted with a reason`, () => {
    expect([...baseline, ...names]).toContain(newestMigration);
    const created = namesCreatedBy([...statements.values()].flat());
    const changes = [...statements].flatMap(([name, sent]) =>
      findIncompatibleChanges(sent, created).map((change) => `${name}: ${change}`),
    );
    expect(changes).toEqual(Object.keys(ACCEPTED_CHANGES));
  });
});
