import { createHash } from 'node:crypto';
import { type InstantMicros, instantText, parseInstant } from '@inference/time';
import { BadRequestException } from '@nestjs/common';
import { z } from 'zod';
import { groupKeysOf } from './cost-dimensions';
import { type CostRange, type CostScope } from './cost-range';
import { type CostQuery } from './cost.dto';

/** Sort position of the last group of a page. */
export interface CostPosition {
  costUsdPicos: bigint;
  keys: string[];
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
