import { DatabaseBefore } from './database-before.fixture';

const MIGRATION = '0020_training_prices';

const FILL = `
  INSERT INTO pricing.price_lists (kind) VALUES ('models'), ('gpus'), ('models'), ('gpus');
  INSERT INTO pricing.model_prices (price_list_id, position, slug, unit, rate_picos) VALUES
    (1, 1, 'tuning', 'per_million_tokens', 1), (3, 1, 'chat', 'per_million_tokens', 2),
    (3, 2, 'training', 'per_million_tokens', 3), (3, 3, 'tuning', 'per_million_tokens', 4);
  INSERT INTO pricing.gpu_prices (price_list_id, position, name, hourly_price_picos) VALUES
    (2, 1, 'A', 10), (4, 2, 'A', 20), (4, 1, 'B', 30)`;
const CHARGED_AS_TUNING = `
  INSERT INTO metering.hourly_rollup VALUES
    ('acct', '2026-01-01T00:00:00Z', 'training', 'training', 'per_million_tokens', 1, 1, 1, 1),
    ('acct', '2026-01-02T00:00:00Z', 'tuning', 'training', 'per_million_tokens', 1, 1, 1, 1),
    ('acct', '2026-01-03T00:00:00Z', 'chat', 'gateway', 'per_million_tokens', 1, 1, 1, 1)`;

describe(MIGRATION, () => {
  let database: DatabaseBefore;

  beforeEach(async () => {
    database = await DatabaseBefore.create(MIGRATION);
  });
  afterEach(() => database?.drop());

  const prices = async () =>
    (await database.owner.query('SELECT token_rate_picos, gpu_hour_picos FROM pricing.training_prices'))
      .rows as unknown[];
  const tokenPrice = async (slug: string) =>
    (await database.owner.query<{ rate_picos: bigint }>('SELECT * FROM training.token_price($1)', [slug]))
      .rows[0]?.rate_picos;

  it('keeps the price under the default name, and goes back', async () => {
    await database.owner.query(FILL);
    await database.migrateUp();
    expect(await prices()).toEqual([{ token_rate_picos: 3n, gpu_hour_picos: 30n }]);
    // A new list of models does not change it, for older replicas either.
    await database.owner.query("INSERT INTO pricing.price_lists (kind) VALUES ('models')");
    expect(await tokenPrice('training')).toBe(3n);
    await database.migrateDown(MIGRATION);
    expect(await tokenPrice('training')).toBeNull();
    await database.owner.query('DELETE FROM pricing.price_lists WHERE id > 4');
    expect(await tokenPrice('tuning')).toBe(4n);
    await expect(
      database.owner.query("INSERT INTO pricing.price_lists (kind) VALUES ('training')"),
    ).rejects.toThrow();
    await database.migrateUp();
    expect(await prices()).toEqual([{ token_rate_picos: 3n, gpu_hour_picos: 30n }]);
  });

  it('keeps the price under the name by which training was charged last', async () => {
    await database.owner.query(`${FILL}; ${CHARGED_AS_TUNING}`);
    await database.migrateUp();
    expect(await prices()).toEqual([{ token_rate_picos: 4n, gpu_hour_picos: 30n }]);
  });

  it('publishes nothing where nothing was priced', async () => {
    await database.migrateUp();
    expect(await prices()).toEqual([]);
    expect((await database.owner.query('SELECT FROM pricing.price_lists')).rows).toEqual([]);
  });
});
