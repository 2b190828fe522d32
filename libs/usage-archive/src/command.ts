import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openStorage } from '@inference/storage';
import { ArchiveBusyError, withArchiveSession } from './database/archive-session.repository';
import { exportEvents, type ExportResult } from './export-events';
import { dayText } from './files/manifest';
import { restoreEvents, verifyArchive } from './restore-events';
import { readUsageArchiveConfig, type UsageArchiveConfig } from './usage-archive.config';

const USAGE = `Usage:
  npm run usage -- export [--restored] [--daily]   moves old usage events to the storage; --restored: also restored days
  npm run usage -- verify [--from DAY] [--to DAY]  compares the archive with its manifests and the rollup
  npm run usage -- restore --from DAY --to DAY     brings days back
Days are those of UTC, such as 2026-01-31. --to is the day after the last one.`;

const DAY_MILLIS = 86_400_000;
/** After an error. Chosen: a storage that was away is back, and the log stays readable. */
const RETRY_MILLIS = 3_600_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** What was asked for is wrong. */
class ArgumentError extends Error {}

/**
 * `npm run usage`: the archive of usage events, as the owner of the database. Exits with 1 if verify finds a difference, with 2 if the
 * command could not do its work.
 */
async function main(): Promise<void> {
  const { command, restored, daily, from, to } = readArguments();
  const config = readUsageArchiveConfig();
  if (command === 'verify') await verify(config, from, to);
  else if (command === 'restore') await restore(config, from!, to!);
  else if (daily) await exportDaily(config);
  else await exportOnce(config, restored);
}

function readArguments() {
  const options = { from: { type: 'string' }, to: { type: 'string' } } as const;
  const flags = { restored: { type: 'boolean' }, daily: { type: 'boolean' } } as const;
  let parsed;
  try {
    parsed = parseArgs({ options: { ...options, ...flags }, allowPositionals: true });
  } catch (error) {
    throw new ArgumentError((error as Error).message);
  }
  const { values, positionals } = parsed;
  const [command, ...others] = positionals;
  const { restored = false, daily = false } = values;
  if (others.length > 0 || !['export', 'verify', 'restore'].includes(command ?? ''))
    throw new ArgumentError('command: must be export, verify or restore');
  if (command === 'export' && (values.from !== undefined || values.to !== undefined))
    throw new ArgumentError('export: takes no --from and no --to');
  if (command !== 'export' && (restored || daily))
    throw new ArgumentError(`${command}: takes no --restored and no --daily`);
  if (restored && daily) throw new ArgumentError('--daily: takes no --restored');
  const from = dayOf('--from', values.from);
  const to = dayOf('--to', values.to);
  if (command === 'restore' && (!from || !to)) throw new ArgumentError('restore: needs --from and --to');
  if (from && to && from >= to) throw new ArgumentError('--from: must be a day before --to');
  return { command, restored, daily, from, to };
}

function dayOf(option: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const day = new Date(`${text}T00:00:00Z`);
  if (!DAY.test(text) || Number.isNaN(day.getTime()) || !day.toISOString().startsWith(text))
    throw new ArgumentError(`${option}: must be a day such as 2026-01-31`);
  return day;
}

async function exportOnce(config: UsageArchiveConfig, includesRestored: boolean): Promise<void> {
  const { databaseUrl, retentionMonths: months, storage } = config;
  if (months === null) {
    console.log('USAGE_EVENTS_RETENTION_MONTHS is not set: all usage events stay in the database.');
    return;
  }
  try {
    const result = await withArchiveSession(databaseUrl, true, (client) =>
      exportEvents(client, openStorage(storage), { months, includesRestored, log: console.log }),
    );
    console.log(describeExport(result));
  } catch (error) {
    // Another host does the same work.
    if (!(error instanceof ArchiveBusyError)) throw error;
    console.log(error.message);
  }
}

function describeExport({ lastDay, restoredDays, dueUntil, rolledUntil }: ExportResult): string {
  const archived = lastDay
    ? `Usage events up to ${dayText(lastDay)} are archived`
    : 'No usage events are archived';
  const rest =
    rolledUntil && rolledUntil >= dueUntil
      ? `there are no others before ${dayText(dueUntil)}`
      : `${rolledUntil ? `the rollup ends at ${rolledUntil.toISOString()}` : 'no hour is rolled up'}, and those before ${dayText(dueUntil)} wait for it`;
  const restored = restoredDays > 0 ? ` ${restoredDays} archived days are in the database, too.` : '';
  return `${archived}; ${rest}.${restored}`;
}

/** Never returns. */
async function exportDaily(config: UsageArchiveConfig): Promise<void> {
  for (;;) {
    const failed = await exportOnce(config, false).then(
      () => false,
      (error: Error) => {
        console.error(error.message);
        return true;
      },
    );
    await sleep(failed ? RETRY_MILLIS : DAY_MILLIS);
  }
}

async function verify({ databaseUrl, storage }: UsageArchiveConfig, from?: Date, to?: Date): Promise<void> {
  const { days, faults } = await withArchiveSession(databaseUrl, false, (client) =>
    verifyArchive(client, openStorage(storage), { from: from ?? '-infinity', to: to ?? 'infinity' }),
  );
  for (const fault of faults) console.log(`DIFFERENCE: ${fault}`);
  console.log(
    faults.length ? `${faults.length} differences.` : `Clean: ${days} archived days, no difference.`,
  );
  process.exitCode = faults.length ? 1 : 0;
}

async function restore({ databaseUrl, storage }: UsageArchiveConfig, from: Date, to: Date): Promise<void> {
  await withArchiveSession(databaseUrl, true, (client) =>
    restoreEvents(client, openStorage(storage), { from, to }, console.log),
  );
  console.log('The usage events of these days are in the database.');
}

main().catch((error: Error) => {
  console.error(error instanceof ArgumentError ? `${error.message}\n\n${USAGE}` : error.message);
  process.exitCode = 2;
});
