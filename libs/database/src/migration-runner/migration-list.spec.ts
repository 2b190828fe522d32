import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeMigration } from './migration';
import { MIGRATIONS, NEWEST_OF_PREVIOUS_VERSION } from './migration-list';

const PREVIOUS_BUILD = join(__dirname, '../../../../tools/e2e/src/upgrade/previous-build.json');

describe('MIGRATIONS', () => {
  const described = MIGRATIONS.map(({ name }) => describeMigration(name));

  it('holds the migration of every file, in the order of the files, under the same name', () => {
    const files = readdirSync(join(__dirname, '../migrations')).sort();
    expect(described.map(({ name }) => `${name}.ts`)).toEqual(files);
  });

  it('numbers the migrations without a gap', () => {
    expect(described.map(({ number }) => number)).toEqual(described.map((_, index) => index + 1));
  });

  it('knows the newest migration of the previous version', () => {
    const { newestMigration } = JSON.parse(readFileSync(PREVIOUS_BUILD, 'utf8')) as {
      newestMigration: string;
    };
    expect(NEWEST_OF_PREVIOUS_VERSION).toBe(newestMigration);
  });
});
