import fc from 'fast-check';
import { postTransfer } from '@inference/wallet';
import { settleRequest, type SignedIn, TestSite } from '../../testing/console.fixture';

const WRITERS = 8;
const ROUNDS = 4;
/** Usage lines of this hour and transfers in its last moment share one time. */
const HOUR = Date.UTC(2026, 2, 1, 10);
const HOUR_MILLIS = 3_600_000;
const RATES = [{ unit: 'per_request' as const, ratePicos: 3n }];
const USAGE = { inputTokens: 1, outputTokens: 1 };

interface Line {
  id: string;
  created_at: string;
}

/** An initial transaction: `slot` microseconds after the end of the hour, or `slot` hours for a usage line. */
const line = fc.record({
  kind: fc.constantFrom('topup' as const, 'adjustment' as const, 'usage' as const),
  slot: fc.integer({ min: 0, max: 2 }),
});

describe('pages of the transactions', () => {
  let site: TestSite;
  let account: SignedIn;
  let count = 0;

  beforeAll(async () => (site = await TestSite.start()));
  afterAll(() => site.stop());

  const page = async (query: string) => {
    const { token } = account;
    const answer = await site.console.request('GET', `/api/billing/transactions?${query}`, { token });
    return answer.body as { transactions: Line[]; next_cursor: string | null };
  };
  const post = (kind: 'topup' | 'adjustment') =>
    site.database.pool.transaction((client) =>
      postTransfer(client, {
        kind,
        accountId: account.accountId,
        amountPicos: 10n,
        counterpart: kind === 'topup' ? 'provider:card_provider' : 'equity:adjustments',
        reference: `paging:${count++}`,
        description: kind,
      }),
    );
  /** Moves the usage of a model into an hour that is closed. */
  const close = (model: string, hour: number) =>
    site.database.pool.query(
      `UPDATE metering.hourly_rollup SET hour = $3
       WHERE account_id = $1 AND model = $2 AND hour > now() - interval '2 hours'`,
      [account.accountId, model, new Date(hour)],
    );

  async function begin(lines: { kind: 'topup' | 'adjustment' | 'usage'; slot: number }[]): Promise<void> {
    account = await site.signedIn('user', 1_000n);
    for (const [n, { kind, slot }] of lines.entries()) {
      if (kind === 'usage') {
        await settleRequest(site.database.pool, account.accountId, {
          model: `m${n}`,
          rates: RATES,
          usage: USAGE,
        });
        await close(`m${n}`, HOUR + slot * HOUR_MILLIS);
        continue;
      }
      const { id } = await post(kind);
      await site.database.pool.query(
        `UPDATE wallet.transfers SET created_at = $2::timestamptz + $3 * interval '1 microsecond' WHERE id = $1`,
        [id, new Date(HOUR + HOUR_MILLIS), slot],
      );
    }
  }

  /** Adds transactions now, and closed hours among the initial transactions. */
  async function write(writer: number, isOver: () => boolean): Promise<void> {
    const model = `w${writer}`;
    for (let round = 0; round < ROUNDS && !isOver(); round++) {
      await post(round % 2 ? 'topup' : 'adjustment');
      await settleRequest(site.database.pool, account.accountId, { model, rates: RATES, usage: USAGE });
      await close(model, HOUR + (round - 1) * HOUR_MILLIS);
    }
  }

  async function walk(limit: number): Promise<Line[]> {
    const walked: Line[] = [];
    let cursor: string | null = null;
    do {
      const next = await page(`limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`);
      if (next.next_cursor !== null) expect(next.transactions).toHaveLength(limit);
      walked.push(...next.transactions);
      cursor = next.next_cursor;
    } while (cursor !== null);
    return walked;
  }

  it.each([1, 2, 3, 4, 5, 6, 7])(
    'pages of %i transactions show each earlier one once and in order despite concurrent writes',
    async (limit) => {
      const lines = fc.array(line, { minLength: 2, maxLength: 14 });
      await fc.assert(
        fc.asyncProperty(lines, async (initial) => {
          await begin(initial);
          const { transactions: before } = await page('limit=100');
          expect(before).toHaveLength(initial.length + 1);
          let isOver = false;
          const writing = Array.from({ length: WRITERS }, (_, writer) => write(writer, () => isOver));
          const walked = await walk(limit).finally(() => (isOver = true));
          await Promise.all(writing);

          const ids = walked.map(({ id }) => id);
          expect(new Set(ids).size).toBe(ids.length);
          const known = new Set(before.map(({ id }) => id));
          expect(ids.filter((id) => known.has(id))).toEqual(before.map(({ id }) => id));
          const times = walked.map(({ created_at }) => created_at);
          expect(times).toEqual([...times].sort().reverse());
        }),
        { numRuns: 3 },
      );
    },
  );

  it('show every usage line of an hour in which more models were used than a page has lines', async () => {
    await begin(Array.from({ length: 12 }, () => ({ kind: 'usage', slot: 0 })));
    const { transactions: all } = await page('limit=100');
    expect((await walk(2)).map(({ id }) => id)).toEqual(all.map(({ id }) => id));
  });

  it("are ordered by the microseconds of the wallet's times", async () => {
    await begin(
      Array.from({ length: 12 }, (_, n) => ({ kind: n % 3 ? 'adjustment' : 'usage', slot: n % 3 })),
    );
    const { rows } = await site.database.pool.query<{ id: string }>(
      `SELECT id FROM wallet.transfers WHERE account_id = $1 AND kind <> 'usage' ORDER BY created_at DESC, id DESC`,
      [account.accountId],
    );
    const shown = (await walk(2)).map(({ id }) => id).filter((id) => !id.startsWith('use_'));
    expect(shown).toEqual(rows.map(({ id }) => id));
  });
});
