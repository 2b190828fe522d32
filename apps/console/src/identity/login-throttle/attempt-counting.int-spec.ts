import { createTestDatabase, type TestDatabase, TestPool, waitForLock } from '@inference/testing';
import fc from 'fast-check';
import { ENTITIES } from '../../entities';

const MAX_DELAY_SECONDS = 1_800;

let database: TestDatabase;
/** Connected with the role of the console. */
let sql: TestPool;

beforeAll(async () => {
  database = await createTestDatabase(ENTITIES);
  sql = TestPool.of({ url: database.urlFor('console'), applicationName: 'test', size: 20 });
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

interface Rule {
  free: number;
  forgiveSeconds: number;
}
const ACCOUNT: Rule = { free: 10, forgiveSeconds: 900 };
const OPEN: Rule = { free: 1_000_000, forgiveSeconds: 1e9 };

interface Counted {
  wait_seconds: number;
  exceeded: number | null;
  counted_at: string;
  /** Microseconds. */
  now: bigint;
}

async function countAttempt(subjects: (string | null)[], rules: Rule[] = subjects.map(() => ACCOUNT)) {
  const { rows } = await sql.query<Counted>(
    `SELECT wait_seconds, exceeded, counted_at::text, (extract(epoch FROM counted_at) * 1000000)::bigint AS now
     FROM accounts.count_login_attempt($1, $2, $3)`,
    [subjects, rules.map(({ free }) => free), rules.map(({ forgiveSeconds }) => forgiveSeconds)],
  );
  return rows[0]!;
}

const recordSuccess = (forgiven: string, refunded: string | null, { counted_at }: Counted) =>
  sql.query('SELECT accounts.record_login_success($1, $2, $3)', [forgiven, refunded, counted_at]);

/** Instants are microseconds. */
interface Row {
  failures: number;
  counted: bigint;
  retry: bigint | null;
}

async function read(subject: string): Promise<Row | undefined> {
  const { rows } = await sql.query<Row>(
    `SELECT failures, (extract(epoch FROM counted_at) * 1000000)::bigint AS counted,
       (extract(epoch FROM retry_at) * 1000000)::bigint AS retry FROM accounts.login_attempts WHERE subject = $1`,
    [subject],
  );
  return rows[0];
}

/** Moves the state of a subject into the past. */
const passTime = (subject: string, seconds: number) =>
  sql.query(
    `UPDATE accounts.login_attempts SET counted_at = counted_at - make_interval(secs => $2),
       retry_at = retry_at - make_interval(secs => $2), expires_at = expires_at - make_interval(secs => $2)
     WHERE subject = $1`,
    [subject, seconds],
  );

const secondsBetween = (from: bigint, to: bigint) => Number(to - from) / 1e6;

/** The expected result of an attempt at an instant, and the expected row after it. */
function model(row: Row | undefined, now: bigint, { free, forgiveSeconds }: Rule) {
  if (row?.retry != null && row.retry > now)
    return { waitSeconds: Math.ceil(secondsBetween(now, row.retry)), row };
  const left = row ? Math.max(0, row.failures - secondsBetween(row.counted, now) / forgiveSeconds) : 0;
  const failures = left + 1;
  const over = Math.ceil(failures) - free;
  const delay = over < 0 ? null : Math.min(MAX_DELAY_SECONDS, 2 ** over);
  return {
    waitSeconds: 0,
    row: { failures, counted: now, retry: delay === null ? null : now + BigInt(delay * 1e6) },
  };
}

describe('counting login attempts', () => {
  const rule = fc.record({
    free: fc.integer({ min: 1, max: 12 }),
    forgiveSeconds: fc.oneof(fc.integer({ min: 1, max: 2_000 }), fc.constantFrom(0.0009, 90_000)),
  });
  const pause = fc.oneof(
    fc.constant(0),
    fc.integer({ min: 1, max: 40 }),
    fc.integer({ min: 1, max: 100 }).map((n) => n * 60),
    fc.constant(1e8),
  );

  it('forgives with time and delays by powers of two, like the model', async () => {
    let subjects = 0;
    const property = fc.asyncProperty(rule, fc.array(pause, { maxLength: 30 }), async (limits, pauses) => {
      const subject = `model ${++subjects}`;
      let before: Row | undefined;
      for (const seconds of pauses) {
        const counted = await countAttempt([subject], [limits]);
        const expected = model(before, counted.now, limits);
        expect(counted.wait_seconds).toBe(expected.waitSeconds);
        expect(counted.exceeded).toBe(expected.waitSeconds > 0 ? limits.free : null);
        expect(await read(subject)).toEqual(expected.row);
        await passTime(subject, seconds);
        before = await read(subject);
      }
    });
    await fc.assert(property, { numRuns: 60 });
  });

  it('admits one attempt after each delay, which grows up to the longest one', async () => {
    const waits: number[] = [];
    for (let n = 0; n < 30; n++) {
      expect((await countAttempt(['patient'])).wait_seconds).toBe(0);
      const row = (await read('patient'))!;
      waits.push(row.retry === null ? 0 : secondsBetween(row.counted, row.retry));
      await passTime('patient', waits[n]!);
    }
    expect(waits.slice(0, 19)).toEqual([
      ...Array<number>(9).fill(0),
      ...[1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    ]);
    expect(Math.max(...waits)).toBeLessThanOrEqual(MAX_DELAY_SECONDS);
    await sql.query(
      "UPDATE accounts.login_attempts SET failures = 1e9, retry_at = NULL WHERE subject = 'patient'",
    );
    expect((await countAttempt(['patient'])).wait_seconds).toBe(0);
    const { counted, retry } = (await read('patient'))!;
    expect(secondsBetween(counted, retry!)).toBe(MAX_DELAY_SECONDS);
    expect((await countAttempt(['patient'])).wait_seconds).toBeGreaterThan(MAX_DELAY_SECONDS - 60);
  });

  it('counts an attempt for all of its subjects or for none', async () => {
    const rules = [ACCOUNT, { free: 1, forgiveSeconds: 60 }];
    expect((await countAttempt(['first', 'second'], rules)).wait_seconds).toBe(0);
    await sql.query(
      "UPDATE accounts.login_attempts SET retry_at = now() + interval '100 s' WHERE subject = 'second'",
    );
    const before = [await read('first'), await read('second')];
    for (const subjects of [
      ['first', 'second'],
      ['unseen', 'second'],
    ]) {
      const refused = await countAttempt(subjects, rules);
      expect(refused.wait_seconds).toBeGreaterThan(90);
      expect(refused.exceeded).toBe(1);
    }
    expect([await read('first'), await read('second')]).toEqual(before);
    expect(await read('unseen')).toBeUndefined();
    await sql.query(
      "UPDATE accounts.login_attempts SET retry_at = now() + interval '1000 s' WHERE subject = 'first'",
    );
    expect(await countAttempt(['first', 'second'], rules)).toMatchObject({ exceeded: ACCOUNT.free });
  });

  it('ignores a subject that is null', async () => {
    expect((await countAttempt(['alone', null])).wait_seconds).toBe(0);
    expect((await read('alone'))!.failures).toBe(1);
  });

  it('is exact for 200 concurrent attempts', async () => {
    const startedAt = performance.now();
    const all = await Promise.all(Array.from({ length: 200 }, () => countAttempt(['crowded'])));
    const seconds = (performance.now() - startedAt) / 1000;
    const admitted = all.filter(({ wait_seconds: wait }) => wait === 0).length;
    // One more attempt is admitted after 1, 1 + 2, 1 + 2 + 4 … seconds.
    const delaysElapsed = Math.floor(Math.log2(seconds + 1));
    expect(admitted).toBeGreaterThanOrEqual(ACCOUNT.free);
    expect(admitted).toBeLessThanOrEqual(ACCOUNT.free + delaysElapsed);
    expect(Math.ceil((await read('crowded'))!.failures)).toBe(admitted);
  });

  it('does not deadlock for any order of the subjects, and loses no attempt', async () => {
    const names = Array.from({ length: 6 }, (_, n) => `ring ${n}`);
    let forgiven = 0;
    const work = Array.from({ length: 600 }, async (_, n) => {
      const [a, b] = [names[n % 6]!, names[(n * 5 + 1 + (n % 4)) % 6]!];
      const subjects = a === b ? [a] : [a, b];
      const counted = await countAttempt(
        subjects,
        subjects.map(() => OPEN),
      );
      if (n % 7 === 0) {
        forgiven += subjects.length;
        await sql.query(
          'SELECT accounts.record_login_success(NULL, s, $2) FROM unnest($1::text[]) s ORDER BY s',
          [subjects, counted.counted_at],
        );
      }
      if (n % 10 === 0) await sql.query('SELECT accounts.delete_expired_login_attempts(5)');
      return subjects.length;
    });
    const counted = (await Promise.all(work)).reduce((sum, count) => sum + count, 0);
    const { rows } = await sql.query<{ sum: number }>(
      "SELECT sum(failures) FROM accounts.login_attempts WHERE subject LIKE 'ring %'",
    );
    expect(rows[0]!.sum).toBeCloseTo(counted - forgiven, 3);
  });
});

describe('recording a successful login attempt', () => {
  it('deletes the count of one subject, and refunds one attempt and its delay to the other', async () => {
    const rules = [ACCOUNT, { free: 3, forgiveSeconds: 60 }];
    for (let n = 0; n < 2; n++) await countAttempt(['mine', 'ours'], rules);
    const right = await countAttempt(['mine', 'ours'], rules);
    expect((await read('ours'))!.retry).not.toBeNull();
    await recordSuccess('mine', 'ours', right);
    expect(await read('mine')).toBeUndefined();
    const refunded = (await read('ours'))!;
    expect([Math.ceil(refunded.failures), refunded.retry]).toEqual([2, null]);
  });

  it('keeps the delay that a later attempt has caused', async () => {
    const rules = [{ free: 2, forgiveSeconds: 60 }];
    const right = await countAttempt(['shared'], rules);
    await countAttempt(['shared'], rules);
    const before = (await read('shared'))!;
    await recordSuccess('nobody', 'shared', right);
    const after = (await read('shared'))!;
    expect([after.retry, after.counted]).toEqual([before.retry, before.counted]);
    expect(after.failures).toBeCloseTo(before.failures - 1);
  });

  it('does not deadlock for any order of two subjects', async () => {
    const work = Array.from({ length: 400 }, async (_, n) => {
      const [a, b] = n % 2 ? ['left', 'right'] : ['right', 'left'];
      await recordSuccess(a!, b!, await countAttempt([a!, b!], [OPEN, OPEN]));
    });
    await Promise.all(work);
  });

  it('does not deadlock with an attempt at a subject that has just been deleted', async () => {
    const right = await countAttempt(['b known'], [OPEN]);
    const blocker = await sql.connect();
    try {
      await blocker.query("BEGIN; SELECT FROM accounts.login_attempts WHERE subject = 'b known' FOR UPDATE");
      const recorded = recordSuccess('a new', 'b known', right);
      await waitForLock(database.pool);
      await countAttempt(['a new'], [OPEN]);
      const both = countAttempt(['a new', 'b known'], [OPEN, OPEN]);
      await waitForLock(database.pool, 2);
      await blocker.query('COMMIT');
      await Promise.all([recorded, both]);
    } finally {
      blocker.release();
    }
    expect(Math.ceil((await read('a new'))!.failures)).toBe(2);
    expect(Math.ceil((await read('b known'))!.failures)).toBe(1);
  });
});

describe('deleting expired login attempts', () => {
  it('deletes forgiven subjects in batches, and nothing else', async () => {
    await sql.query('DELETE FROM accounts.login_attempts');
    for (let n = 0; n < 5; n++) await countAttempt([`old ${n}`]);
    for (let n = 0; n < 12; n++) {
      await countAttempt(['young']);
      await passTime('young', 2);
    }
    // Two failures take twice as long as one to be forgiven.
    await countAttempt(['old 4']);
    for (let n = 0; n < 5; n++) await passTime(`old ${n}`, ACCOUNT.forgiveSeconds + 1);
    const deleteExpired = async (limit: number) => {
      const { rows } = await sql.query<{ deleted: bigint }>(
        'SELECT accounts.delete_expired_login_attempts($1) AS deleted',
        [limit],
      );
      return Number(rows[0]!.deleted);
    };
    expect([await deleteExpired(3), await deleteExpired(3), await deleteExpired(3)]).toEqual([3, 1, 0]);
    const { rows } = await sql.query('SELECT subject FROM accounts.login_attempts ORDER BY subject');
    expect(rows).toEqual([{ subject: 'old 4' }, { subject: 'young' }]);
  });
});

it('no other service may read or change login attempts', async () => {
  for (const role of ['gateway', 'router_cost', 'training', 'agent', 'memo'] as const) {
    const other = TestPool.of({ url: database.urlFor(role), applicationName: 'test', size: 1 });
    for (const statement of [
      'SELECT FROM accounts.login_attempts',
      'DELETE FROM accounts.login_attempts',
      'SELECT accounts.delete_expired_login_attempts(1)',
      "SELECT accounts.count_login_attempt('{a}', '{1}', '{1}')",
      "SELECT accounts.record_login_success('a', 'b', now())",
    ])
      await expect(other.query(statement)).rejects.toThrow('permission denied');
    await other.end();
  }
});
