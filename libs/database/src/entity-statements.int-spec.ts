import { createTestDatabase, type TestDatabase, TestPool, waitFor } from '@inference/testing';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { PoolDataSource } from './data-source';
import { Database } from './database';
import { isDatabaseUnavailable } from './errors';
import { BigIntColumn, DecimalColumn, PicosColumn, TimeColumn } from './columns';
import { type Position, readNewestFirst } from './keyset-page';

@Entity('notes', { schema: 'public' })
class Note {
  @PrimaryColumn('text')
  id!: string;

  @TimeColumn()
  writtenAt!: Date;

  @BigIntColumn({ nullable: true })
  wordCount!: bigint | null;

  @PicosColumn({ nullable: true })
  pricePicos!: bigint | null;

  @DecimalColumn({ precision: 20, scale: 10, nullable: true })
  rate!: string | null;

  @Column('text', { nullable: true })
  text!: string | null;
}

let database: TestDatabase;
let pool: TestPool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = await TestPool.withEntities({ url: database.ownerUrl, applicationName: 'notes', size: 2 }, [Note]);
  await pool.query(
    `CREATE TABLE public.notes (id text PRIMARY KEY, written_at timestamptz NOT NULL, word_count bigint,
       price_picos numeric(38, 0), rate numeric(20, 10), text text)`,
  );
});
beforeEach(() => pool.query('TRUNCATE public.notes'));
afterAll(async () => {
  await pool.end();
  await database.drop();
});

describe('columns', () => {
  it.each([
    { wordCount: 9_007_199_254_740_993n, pricePicos: 10n ** 38n - 1n, rate: '0.1428571429' },
    { wordCount: -1n, pricePicos: 0n, rate: '1.0000000000' },
    { wordCount: null, pricePicos: null, rate: null },
  ])('keep %j exactly, in conditions as well', async (values) => {
    const note = { id: 'a', writtenAt: new Date('2026-01-01T00:00:00.123Z'), ...values };
    await pool.repository(Note).insert(note);
    expect(await pool.repository(Note).findOneBy({ id: 'a' })).toEqual({ ...note, text: null });
    if (values.pricePicos !== null)
      expect(await pool.repository(Note).countBy({ pricePicos: values.pricePicos })).toBe(1);
  });
});

describe('readNewestFirst', () => {
  it('reads every row once, newest first, also where microseconds or ids alone differ', async () => {
    await pool.query(
      `INSERT INTO public.notes (id, written_at)
       SELECT 'n' || n, '2026-01-01'::timestamptz + (n / 3) * interval '1 microsecond' FROM generate_series(10, 40) n`,
    );
    const ids: string[] = [];
    for (let after: Position | null = null; ;) {
      const page: (Note & { position: Position })[] = await readNewestFirst(
        pool.repository(Note).createQueryBuilder('note'),
        'writtenAt',
        after,
        4,
      );
      if (page.length === 0) break;
      ids.push(...page.map(({ id }) => id));
      after = page.at(-1)!.position;
    }
    const all = await pool.query<{ id: string }>(
      'SELECT id FROM public.notes ORDER BY written_at DESC, id DESC',
    );
    expect(ids).toEqual(all.rows.map(({ id }) => id));
  });

  it('keeps the conditions of the query', async () => {
    await pool.repository(Note).insert([
      { id: 'a', writtenAt: new Date(1), text: 'mine' },
      { id: 'b', writtenAt: new Date(2), text: 'another' },
    ]);
    const query = pool.repository(Note).createQueryBuilder('note').where({ text: 'mine' });
    const page = await readNewestFirst(
      query,
      'writtenAt',
      { at: '1970-01-01T00:00:01.000000Z', id: 'z' },
      10,
    );
    expect(page).toMatchObject([{ id: 'a', position: { at: '1970-01-01T00:00:00.001000Z', id: 'a' } }]);
  });
});

describe('a statement of an entity', () => {
  it('takes part in the transaction that runs it', async () => {
    const failure = new Error('changed my mind');
    const work = pool.transaction(async (transaction) => {
      await transaction.repository(Note).insert({ id: 'a', writtenAt: new Date(0) });
      expect(await transaction.repository(Note).count()).toBe(1);
      expect(await pool.repository(Note).count()).toBe(0);
      throw failure;
    });
    await expect(work).rejects.toBe(failure);
    expect(await pool.repository(Note).count()).toBe(0);
  });

  it('fails as unavailable without a database, whose entities it knows nevertheless', async () => {
    const nowhere = { url: 'postgres://u:p@127.0.0.1:1/none', applicationName: 'notes', size: 1 };
    const away = await TestPool.withEntities(nowhere, [Note]);
    const error: unknown = await away
      .repository(Note)
      .count()
      .catch((thrown: unknown) => thrown);
    expect(isDatabaseUnavailable(error)).toBe(true);
    await away.end();
  });

  it('fails as unavailable when its connection breaks, also in a transaction', async () => {
    const terminate = () =>
      database.pool.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'notes' AND datname = current_database()",
      );
    const work = pool.transaction(async (transaction) => {
      await transaction.repository(Note).count();
      await terminate();
      await transaction.repository(Note).count();
    });
    const error: unknown = await work.catch((thrown: unknown) => thrown);
    expect(isDatabaseUnavailable(error)).toBe(true);
    // The pool learns a moment later that its idle connection has broken, too.
    await waitFor(async () => (await pool.repository(Note).count()) === 0);
  });

  it('does not leave a connection that hangs to the next statement', async () => {
    const source = await new PoolDataSource({ url: database.ownerUrl, applicationName: 'hung', size: 1 }, [
      Note,
    ]).initialize();
    Object.assign(source.pool.options, { query_timeout: 2_000 });
    const patient = new Database(source);
    const blocker = await database.pool.connect();
    await blocker.query('BEGIN; LOCK TABLE public.notes');
    const error: unknown = await patient
      .repository(Note)
      .count()
      .catch((thrown: unknown) => thrown);
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect((await patient.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await blocker.query('ROLLBACK');
    blocker.release();
    await patient.close();
  });

  it('fails as wrong where the statement is wrong', async () => {
    const error: unknown = await pool
      .repository(Note)
      .insert({ id: 'a' })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: '23502' });
    expect(isDatabaseUnavailable(error)).toBe(false);
  });
});
