import { type Client } from 'pg';
import { type Archive } from './archive';
import {
  type EventRow,
  readRollup,
  readRollupDays,
  type UsageGroup,
  type UsageSums,
} from './database/events.repository';
import { EventCursor } from './files/event-cursor';
import {
  addSums,
  type EventSums,
  type Manifest,
  type ManifestFile,
  noEvents,
  sumsOf,
  sumTexts,
} from './files/manifest';
import { readEventFile } from './files/read-events';

const MILLIS_PER_DAY = 86_400_000;
/** `T` and two digits in `2026-01-05T07:…`. */
const HOUR_AT = '2026-01-05T'.length;
/** Of one file. The others have the same cause as a rule. */
const SHOWN_DIFFERENCES = 3;

/** What an event of a file has, as far as it is added up. */
type StoredEvent = Record<
  | 'account_id'
  | 'request_id'
  | 'model'
  | 'entrypoint'
  | 'occurred_at'
  | 'input_tokens'
  | 'output_tokens'
  | 'cost_picos'
  | 'cost_usd_picos',
  string
> & { api_key_id: string | null };

/**
 * Reads the files of a day and compares them with their manifest, and with the hourly rollup for each account, API key, model,
 * entrypoint and hour. Returns a message for each difference.
 */
export async function checkStoredDay(
  client: Client,
  archive: Archive,
  day: Date,
  manifest: Manifest,
): Promise<string[]> {
  const faults: string[] = [];
  for (const file of manifest.files) {
    const found = await checkFile(client, archive, day, file);
    faults.push(...found.map((fault) => `${file.name} ${fault}`));
  }
  const [rollup] = await readRollupDays(client, day, new Date(day.getTime() + MILLIS_PER_DAY));
  const difference = differenceOf(usageOf(sumsOf(manifest)), rollup?.sums);
  if (difference) faults.push(`the day ${difference}`);
  return faults;
}

async function checkFile(client: Client, archive: Archive, day: Date, file: ManifestFile): Promise<string[]> {
  const key = archive.key(day, file.name);
  if ((await archive.storage.sizeOf(key)) === undefined) return ['is missing'];
  const sums = noEvents();
  const groups = new Map<string, UsageSums>();
  const requestIds: string[] = [];
  try {
    const { bytes, sha256, contentSha256 } = await readEventFile(archive.storage, key, (lines) => {
      for (const line of lines) {
        const event = JSON.parse(line) as StoredEvent;
        const added = sumsOfEvent(event);
        addSums(sums, added);
        addToGroup(groups, event, added);
        requestIds[requestIds.length < 2 ? requestIds.length : 1] = event.request_id;
      }
    });
    const found = { bytes, sha256, content_sha256: contentSha256, ...sumTexts(sums) };
    const faults = (Object.keys(found) as (keyof typeof found)[])
      .filter((name) => found[name] !== file[name])
      .map((name) => `has ${name} ${found[name]}, the manifest says ${file[name]}`);
    if (requestIds[0] !== file.first_request_id || requestIds.at(-1) !== file.last_request_id)
      faults.push('has other requests at its ends than the manifest says');
    return [...faults, ...(await compareWithRollup(client, day, file, groups))];
  } catch (error) {
    if (!isContentError(error)) throw error;
    return [`cannot be read: ${(error as Error).message}`];
  }
}

/** Errors of zlib have such codes; the others come from values of an event that are missing or no numbers. */
const isContentError = (error: unknown) =>
  (error as NodeJS.ErrnoException).code?.startsWith('Z_') ||
  error instanceof SyntaxError ||
  error instanceof TypeError ||
  (error as Error).message === 'the last line does not end';

const sumsOfEvent = (event: StoredEvent): EventSums => ({
  rows: 1,
  inputTokens: BigInt(event.input_tokens),
  outputTokens: BigInt(event.output_tokens),
  costPicos: BigInt(event.cost_picos),
  costUsdPicos: BigInt(event.cost_usd_picos),
});

function addToGroup(groups: Map<string, UsageSums>, event: StoredEvent, sums: EventSums): void {
  const hour = Number(event.occurred_at.slice(HOUR_AT, HOUR_AT + 2));
  const group: UsageGroup = [event.account_id, event.api_key_id ?? '', event.model, event.entrypoint, hour];
  const key = JSON.stringify(group);
  const former = groups.get(key) ?? { tokens: 0n, costPicos: 0n, costUsdPicos: 0n };
  const added = usageOf(sums);
  groups.set(key, {
    tokens: former.tokens + added.tokens,
    costPicos: former.costPicos + added.costPicos,
    costUsdPicos: former.costUsdPicos + added.costUsdPicos,
  });
}

const usageOf = ({ inputTokens, outputTokens, costPicos, costUsdPicos }: EventSums): UsageSums => ({
  tokens: inputTokens + outputTokens,
  costPicos,
  costUsdPicos,
});

async function compareWithRollup(
  client: Client,
  day: Date,
  file: ManifestFile,
  groups: Map<string, UsageSums>,
): Promise<string[]> {
  const accounts = { first: file.first_account_id, last: file.last_account_id };
  const differences: string[] = [];
  for (const { group, sums } of await readRollup(client, day, accounts)) {
    const key = JSON.stringify(group);
    const difference = differenceOf(groups.get(key), sums);
    if (difference) differences.push(`of ${key} ${difference}`);
    groups.delete(key);
  }
  for (const [key, sums] of groups) differences.push(`of ${key} ${differenceOf(sums, undefined)}`);
  const others = differences.length - SHOWN_DIFFERENCES;
  return [
    ...differences.slice(0, SHOWN_DIFFERENCES),
    ...(others > 0 ? [`differs from the rollup in ${others} more groups`] : []),
  ];
}

function differenceOf(events: UsageSums | undefined, rollup: UsageSums | undefined): string | null {
  if (events && rollup && isSame(events, rollup)) return null;
  return `has ${describe(events)}, the rollup ${describe(rollup)}`;
}

const describe = (sums: UsageSums | undefined) =>
  sums ? `${sums.tokens} tokens for ${sums.costPicos} picos (${sums.costUsdPicos} of USD)` : 'nothing';

const isSame = <T extends object>(one: T, other: T) =>
  (Object.keys(one) as (keyof T)[]).every((name) => one[name] === other[name]);

/** Compares events, sorted as in the files, with their manifest byte by byte. Returns a message for each difference. */
export async function checkEvents(
  batches: AsyncGenerator<EventRow[]>,
  manifest: Manifest,
): Promise<string[]> {
  const cursor = new EventCursor(batches);
  try {
    for (const { name, rows, content_sha256 } of manifest.files) {
      if (!(await cursor.next())) return [`${name} has events that the database has not got`];
      const run = cursor.run((count) => count < rows);
      let result = await run.next();
      while (!result.done) result = await run.next();
      if (result.value.contentSha256 !== content_sha256)
        return [`${name} has other events than the database`];
    }
    return (await cursor.next()) ? ['the database has events that are in no file'] : [];
  } finally {
    await batches.return(undefined);
  }
}
