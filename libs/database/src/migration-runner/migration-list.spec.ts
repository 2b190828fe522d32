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

  it('numbers each migration higher than the one before', () => {
    const numbers = described.map(({ number }) => number);
    expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
  });
});
