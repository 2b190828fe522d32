import { createHash } from 'node:crypto';
import { type Caller, restrictedKeyIdOf, seesAllCost } from '@inference/guards';
import { type InstantMicros, instantText, parseInstant, startOfMonth } from '@inference/time';
import { BadRequestException, ForbiddenException } from '@nestjs/common';
import { z } from 'zod';
import { type CostQuery, groupKeysOf } from './cost.dto';
import { type CostPosition } from './cost.repository';

/** What a report covers: all accounts, one account, or one API key of an account. */
export type CostScope = { accountId: string; apiKeyId: string | null } | { accountId: null; apiKeyId: null };

const ALL_ACCOUNTS: CostScope = { accountId: null, apiKeyId: null };

/**
 * What the report of a caller covers. A restricted API key sees its own calls, whatever it asks for. Throws ForbiddenException if
 * another caller asks for all accounts and its role does not see them.
 */
export function scopeOf(caller: Caller, { accounts }: Pick<CostQuery, 'accounts'>): CostScope {
  const { accountId, role, service } = caller;
  const apiKeyId = restrictedKeyIdOf(caller);
  if (apiKeyId !== null) return { accountId, apiKeyId };
  const seesAll = seesAllCost(role);
  if (accounts === 'all' && !seesAll)
    throw new ForbiddenException(
      'accounts: only the roles admin, finance and analyst see the cost of all accounts',
    );
  // A service that acts for an account shows it to its owner, so it has to ask for more expressly.
  const wanted = accounts ?? (seesAll && service === undefined ? 'all' : 'own');
  return wanted === 'all' ? ALL_ACCOUNTS : { accountId, apiKeyId: null };
}

/** Half-open: includes `from`, excludes `to`. `to` null: up to now. */
export interface CostRange {
  from: InstantMicros;
  to: InstantMicros | null;
}

/** Returns the range of a query; `from` defaults to the start of the month. Throws 400 for an empty range. */
export function rangeOf({
  from,
  to,
  time_zone: zone,
}: Pick<CostQuery, 'from' | 'to' | 'time_zone'>): CostRange {
  const range = { from: from ?? startOfMonth(new Date(), zone), to: to ?? null };
  if (range.to === null || range.from < range.to) return range;
  throw new BadRequestException(
    from === undefined
      ? 'to: must be later than the start of the current month, unless from is given'
      : 'from: must be earlier than to',
  );
}

/** The rest of a report. The range is that of the first page, so that all pages show the same figures. */
export interface Continuation {
  range: CostRange & { to: InstantMicros };
  position: CostPosition;
}

const picos = z
  .string()
  .regex(/^\d{1,38}$/)
  .transform(BigInt);
const key = z.string().refine((text) => !text.includes('\0'));
const instant = z
  .string()
  .transform((text) => parseInstant(text))
  .pipe(z.bigint());
const content = z.tuple([z.string(), instant, instant, picos, z.array(key)]);

/** Binds a cursor to its report: the same scope and the same query. */
function bindingOf(
  { accountId, apiKeyId }: CostScope,
  { from, to, time_zone: zone, group_by: dimensions, granularity }: CostQuery,
): string {
  const scope = apiKeyId === null ? accountId : [accountId, apiKeyId];
  const report = [scope, from?.toString(), to?.toString(), zone, dimensions];
  const identity = JSON.stringify(granularity === undefined ? report : [...report, granularity]);
  return createHash('sha256').update(identity).digest('base64url').slice(0, 22);
}

/** Returns the opaque cursor of the next page. */
export function encodeCursor(scope: CostScope, query: CostQuery, next: Continuation): string {
  const { range, position } = next;
  const bounds = [range.from, range.to].map(instantText);
  const parts = [bindingOf(scope, query), ...bounds, String(position.costUsdPicos), position.keys];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown;
  } catch {
    return undefined;
  }
}

/** Throws BadRequestException if the text is not a cursor of this report. */
export function decodeCursor(scope: CostScope, query: CostQuery, cursor: string): Continuation {
  const parsed = content.safeParse(parse(cursor));
  if (!parsed.success) throw new BadRequestException('cursor: is not valid');
  const [binding, from, to, costUsdPicos, keys] = parsed.data;
  if (binding !== bindingOf(scope, query) || keys.length !== groupKeysOf(query).length) {
    throw new BadRequestException('cursor: belongs to another report');
  }
  return { range: { from, to }, position: { costUsdPicos, keys } };
}
