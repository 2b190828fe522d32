import { Database, isDatabaseUnavailable } from '@inference/database';
import { addDatabaseGauges, Metrics, readPage } from '@inference/http';
import { BackgroundJobs, EVERY_MINUTE } from '@inference/jobs';
import { readArchivedUntil } from '@inference/metering';
import { exactNumber, picosToDecimal } from '@inference/money';
import { type ObjectStorage, openStorage } from '@inference/storage';
import { type InstantMicros } from '@inference/time';
import { ConflictException, Inject, Injectable, NotFoundException } from '@nestjs/common';
import { type Actor } from '../../accounts/audit-log/actor';
import { recordAuditEvent } from '../../accounts/audit-log/audit-log';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { type ExportedHour } from './exported-hour.entity';
import {
  type ClaimedHour,
  claimHour,
  findHour,
  finishHour,
  keepClaim,
  listHours,
  NO_PROGRESS,
  readProgress,
  releaseHour,
  reopenHour,
  stateOf,
} from './exported-hours.repository';
import { EXPORT_CONFIG, type ExportConfig } from './exports.config';
import {
  type ExportedHourResponse,
  type ExportListResponse,
  type ExportProgressResponse,
  type ExportsQuery,
} from './exports.dto';
import { bytesOfSets, manifestKey, writeHour } from './hour-files';

/** After which a run begins no other hour. Chosen: less than a minute, so that an older run is over when the next one begins. */
const RUN_MILLIS = 45_000;
/** Chosen: a third of what a claim lasts may pass before it is renewed. */
const KEEP_MILLIS = 60_000;

const EXPORT_STORAGE = Symbol('EXPORT_STORAGE');

/** Null: nothing is exported. */
export const EXPORT_STORAGE_PROVIDER = {
  provide: EXPORT_STORAGE,
  inject: [EXPORT_CONFIG],
  useFactory: ({ backend }: ExportConfig): ObjectStorage | null => backend && openStorage(backend),
};

/** Another process works on the hour now. */
class ClaimLostError extends Error {}

/** Exports closed hours of usage and ledger, one after another. */
@Injectable()
export class ExportJob {
  constructor(
    private readonly database: Database,
    @Inject(EXPORT_CONFIG) private readonly config: ExportConfig,
    @Inject(EXPORT_STORAGE) private readonly storage: ObjectStorage | null,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
    jobs: BackgroundJobs,
    { registry }: Metrics,
  ) {
    if (!storage) return;
    jobs.schedule('export-hours', EVERY_MINUTE, (signal) => this.run(signal));
    addDatabaseGauges<{ lagSeconds: number }>(registry, database, {
      reading: 'export',
      labels: [],
      gauges: [
        {
          name: 'console_export_lag_seconds',
          help: 'How long the oldest hour that is not exported has been over.',
          value: ({ lagSeconds }) => lagSeconds,
        },
      ],
      read: async (executor) => [await readProgress(executor, config.from)],
    });
  }

  /**
   * Exports the hours that are due, for less than a minute. A failure ends the run; the hour is tried again later, and the next run
   * takes the next hour.
   */
  async run(signal: AbortSignal): Promise<void> {
    const endMillis = performance.now() + RUN_MILLIS;
    while (!signal.aborted && performance.now() < endMillis) {
      const claimed = await claimHour(this.database, this.config.from);
      if (!claimed) return;
      await this.export(claimed, signal);
    }
  }

  private async export(claimed: ClaimedHour, signal: AbortSignal): Promise<void> {
    let keptMillis = performance.now();
    const onProgress = async () => {
      signal.throwIfAborted();
      if (performance.now() < keptMillis + KEEP_MILLIS) return;
      if (!(await keepClaim(this.database, claimed)))
        throw new ClaimLostError('another process has the hour');
      keptMillis = performance.now();
    };
    const target = { storage: this.storage!, currency: this.site.currency, fileRows: this.config.fileRows };
    try {
      const sums = await writeHour(this.database, { ...claimed, ...target, onProgress });
      await finishHour(this.database, claimed, sums);
    } catch (error) {
      if (error instanceof ClaimLostError) return;
      // Otherwise the hour stays claimed for some minutes.
      if (!isDatabaseUnavailable(error))
        await releaseHour(this.database, claimed, signal.aborted ? null : (error as Error).message);
      if (!signal.aborted) throw error;
    }
  }
}

/** What is exported. */
@Injectable()
export class ExportsService {
  constructor(
    private readonly database: Database,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
    @Inject(EXPORT_CONFIG) private readonly config: ExportConfig,
  ) {}

  async list(query: ExportsQuery): Promise<ExportListResponse> {
    const { state, from, to } = query;
    const filter = { state, from: dateOf(from), to: dateOf(to) };
    const { rows, nextCursor } = await readPage(
      `exports ${[state, from, to].join(' ')}`,
      query,
      (after, count) => listHours(this.database, filter, after, count),
    );
    return { exports: rows.map((row) => this.view(row)), next_cursor: nextCursor };
  }

  async progress(): Promise<ExportProgressResponse> {
    const enabled = this.config.backend !== null;
    const progress = enabled ? await readProgress(this.database, this.config.from) : NO_PROGRESS;
    return {
      enabled,
      closed_until: progress.closedUntil?.toISOString() ?? null,
      open_hours: progress.openHours,
      failed_hours: progress.failedHours,
      lag_seconds: Math.floor(progress.lagSeconds),
    };
  }

  /** Lets an exported hour be exported anew. Throws 404 for an hour that was not begun, 409 for one that is not done or is archived. */
  async repeat(hour: Date, { accountId: actorId, origin }: Actor): Promise<ExportedHourResponse> {
    const archivedUntil = await readArchivedUntil(this.database);
    if (archivedUntil !== null && hour < archivedUntil)
      throw new ConflictException('the usage events of this hour are only in the archive');
    return this.database.transaction(async (transaction) => {
      const isReopened = await reopenHour(transaction, hour);
      const row = await findHour(transaction, hour);
      if (!row) throw new NotFoundException('no such hour');
      if (!isReopened) throw new ConflictException('this hour is being exported');
      const details = { hour: hour.toISOString(), version: String(row.version) };
      await recordAuditEvent(transaction, {
        ...{ type: 'admin.export_repeated', accountId: null, actorId, origin, details },
      });
      return this.view(row);
    });
  }

  private view(row: ExportedHour): ExportedHourResponse {
    const bytes = row.manifest === null ? null : bytesOfSets(row.manifest);
    return {
      hour: row.hour.toISOString(),
      state: stateOf(row),
      version: row.version,
      manifest: row.exportedAt === null ? null : manifestKey(row.hour),
      usage_rows: countOf(row.usageRows),
      usage_line_rows: countOf(row.usageLineRows),
      ledger_rows: countOf(row.ledgerRows),
      usage_bytes: bytes && bytes.usage,
      usage_line_bytes: bytes && bytes.usage_lines,
      ledger_bytes: bytes && bytes.ledger,
      bytes: countOf(row.bytes),
      currency: this.site.currency,
      cost: amountOf(row.costPicos),
      balance_change: amountOf(row.ledgerPicos),
      exported_at: row.exportedAt?.toISOString() ?? null,
      error: row.error,
    };
  }
}

/** The first whole millisecond that is not before it. */
const dateOf = (micros: InstantMicros | undefined) =>
  micros === undefined ? undefined : new Date(Number((micros + 999n) / 1_000n));
const countOf = (count: bigint | null) => (count === null ? null : Number(count));
const amountOf = (picos: bigint | null) => (picos === null ? null : exactNumber(picosToDecimal(picos)));
