import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describeMigration } from './migration';
import { MIGRATIONS } from './migration-list';

describe('MIGRATIONS', () => {
  const described = MIGRATIONS.map(({ name }) => describeMigration(name));

  it('holds the migration of every file, in the order of the files, under the same name', () => {
    const files = readdirSync(join(__dirname, '../migrations')).sort();
    expect(described.map(({ name }) => `${name}.ts`)).toEqual(files);
  });

  it('numbers the migrations without a gap', () => {
    expect(described.map(({ number }) => number)).toEqual(described.map((_, index) => index + 1));
  });
});
