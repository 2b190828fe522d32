import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { MEMO_CONFIG, type MemoConfig } from '../config';
import { clean } from '../index/cleaning';
import { mergeSegments } from '../index/merge';
import { Embedder } from '../vectors/embedder';
import {
  addCleaningJob,
  addMergeJob,
  CLEAN,
  EMBED,
  INGEST,
  INGEST_LONG,
  type IngestionJob,
  MERGE,
  type MergeJob,
} from './ingestion-jobs';
import { Ingestor } from './ingestor';
import { JobRunner } from './job-runner';
import { sweep } from './sweeping';

const SWEEP_MILLIS = 15_000;

export const TAKES_LONG = Symbol('TAKES_LONG');

/** What this process does of what waits in the queue. */
@Injectable()
export class IngestionQueue implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(IngestionQueue.name);
  private readonly runners: JobRunner[];
  private sweeps: NodeJS.Timeout | undefined;

  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(MEMO_CONFIG) private readonly config: MemoConfig,
    private readonly ingestor: Ingestor,
    private readonly embedder: Embedder,
    /** Whether this process does what takes long, too. */
    @Inject(TAKES_LONG) private readonly takesLong: boolean,
  ) {
    const { DATABASE_URL: url, EMBEDDING_MODEL: model } = config;
    this.runners = [new JobRunner(url, (signal) => this.readingTasks(signal), this.logger)];
    // Of their own, since they wait for a model that may be slow, and no document is to wait for that.
    if (model !== undefined)
      this.runners.push(new JobRunner(url, (signal) => this.embeddingTasks(model, signal), this.logger));
  }

  onApplicationBootstrap(): void {
    for (const runner of this.runners) runner.start();
    const look = () =>
      void sweep(this.pool, this.config.EMBEDDING_MODEL).catch((error: Error) =>
        this.logger.warn(`Documents that went astray could not be looked for: ${error.message}`),
      );
    look();
    this.sweeps = setInterval(look, SWEEP_MILLIS);
  }

  /** What is in hand goes back into the queue. */
  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.sweeps);
    await Promise.all(this.runners.map((runner) => runner.stop()));
  }

  private readingTasks(signal: AbortSignal) {
    const ingest = (payload: unknown) => this.ingestor.ingest(payload as IngestionJob, signal);
    return {
      [INGEST]: ingest,
      [MERGE]: (payload: unknown) => this.merge(payload as MergeJob, signal),
      ...(this.takesLong && { [INGEST_LONG]: ingest, [CLEAN]: () => this.clean(signal) }),
    };
  }

  private embeddingTasks(model: string, signal: AbortSignal) {
    return { [EMBED]: (payload: unknown) => this.embedder.embed(payload as IngestionJob, model, signal) };
  }

  private async clean(signal: AbortSignal): Promise<void> {
    if (await clean(this.pool, signal)) await addCleaningJob(this.pool);
  }

  /** One merge at a time: documents that wait are read in between. */
  private async merge({ workspace_id: id }: MergeJob, signal: AbortSignal): Promise<void> {
    if (await mergeSegments(this.pool, id, signal)) await addMergeJob(this.pool, id);
  }
}
