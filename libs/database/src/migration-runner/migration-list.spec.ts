import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BASELINE } from './migration-runner';
import { digestOf, readFunctionFiles } from './function-files';
import { describeMigration } from '../migration';
import { FUNCTIONS_DIGEST, MIGRATIONS, NEWEST_OF_PREVIOUS_VERSION } from './migration-list';

const PREVIOUS_BUILD = join(__dirname, '../../../../tools/e2e/src/upgrade/previous-build.json');

describe('MIGRATIONS', () => {
  const described = MIGRATIONS.map(({ name }) => describeMigration(name));

  it('holds the migration of every file, in the order of the files, under the same name', () => {
    const files = readdirSync(join(__dirname, '../migrations')).sort();
    expect(described.map(({ name }) => `${name}.ts`)).toEqual(files);
  });

  it('numbers the migrations without a gap, after those of the baseline', () => {
    const numbers = [...BASELINE.map((name) => describeMigration(name)), ...described].map(
      ({ number }) => number,
    );
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  });

  it('has the digest of the function files, which change together with a new migration', () => {
    expect(FUNCTIONS_DIGEST).toBe(digestOf(readFunctionFiles()));
  });

  it('knows the newest migration of the previous version', () => {
    const { newestMigration } = JSON.parse(readFileSync(PREVIOUS_BUILD, 'utf8')) as {
      newestMigration: string;
    };
    expect(NEWEST_OF_PREVIOUS_VERSION).toBe(newestMigration);
  });
});
