import { type DatabaseBefore } from '../database-before.fixture';

/** Migrations that change rows only. */
const WITHOUT_SCHEMA_CHANGE = new Set(['0048_international_addresses', '0069_leaked_workspace_keys']);

/** The schema, and without the functions that a migration replaces until the function files are installed. */
async function read(database: DatabaseBefore) {
  const objects = await database.readObjects();
  const schema = objects.filter((object) => !/CREATE OR REPLACE FUNCTION (metering|wallet)\./.test(object));
  return { objects, schema };
}

/** @param names the next migrations, in their order */
export function revertsOneByOne(databaseOf: () => DatabaseBefore, names: string[]): void {
  /** Of the migration that was looked at last: the next one finds it. */
  let newest: Awaited<ReturnType<typeof read>> | undefined;
  it.each(names)('reverts %s to the schema that was there before', async (name) => {
    const database = databaseOf();
    const before = newest ?? (await read(database));
    expect(await database.migrateUp(1, { functions: [] })).toEqual([name]);
    const after = await read(database);
    if (!WITHOUT_SCHEMA_CHANGE.has(name)) expect(after.objects).not.toEqual(before.objects);
    await database.migrateDown(name);
    expect((await read(database)).schema).toEqual(before.schema);
    expect(await database.migrateUp(1, { functions: [] })).toEqual([name]);
    newest = await read(database);
    expect(newest.schema).toEqual(after.schema);
  });
}
