import { DatabaseBefore } from '../database-before.fixture';
import { migrateJobQueues } from '../job-queues';
import { describeMigration } from '../migration';
import { revertsOneByOne } from './down.fixture';
import { MIGRATIONS } from './migration-list';

describe('down', () => {
  let database: DatabaseBefore;

  beforeAll(async () => {
    database = await DatabaseBefore.createEmpty();
    await migrateJobQueues(database.url);
    await database.migrateUp(0);
  });
  afterAll(() => database?.drop());

  revertsOneByOne(
    () => database,
    MIGRATIONS.map(({ name }) => describeMigration(name).name),
  );
});
