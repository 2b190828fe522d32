import { Database, firstIdAt, JOB_SCHEMAS } from '@inference/database';
import { createJobPool, JobWorker, type JobWorkerOptions } from '@inference/jobs';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import {
  type BatchJob,
  COLLECT_GARBAGE,
  EMBED,
  INGEST,
  INGEST_BATCH,
  INGEST_LONG,
  type IngestionJob,
  MERGE,
  type MergeJob,
} from '../jobs/document-jobs';
import {
  addEmbeddingJobs,
  addGarbageCollectionJob,
  addIngestionJob,
  addMergeJob,
  deleteOrphanedJobs,
} from '../jobs/document-jobs.repository';
import { collectGarbage } from '../retrieval/index/garbage-collection';
import { ANALYSIS } from '../retrieval/index/segment';
import { mergeSegments } from '../retrieval/index/segment-merge';
import { discardLostVersions, hasGarbage } from '../retrieval/index/storage/garbage.repository';
import { findWorkspacesOfFormerAnalysis } from '../retrieval/index/storage/segments.repository';
import { Embedder } from '../retrieval/vectors/embedder';
import { VECTORS_CONFIG, type VectorsConfig } from '../retrieval/vectors/vectors.config';
import { deleteOldInvitations } from '../workspaces/invitations/invitations.repository';
import { ExtractionThread } from './extraction-thread/extraction-thread';
import { INGESTION_CONFIG, type IngestionConfig } from './ingestion.config';
import { BatchIngestor } from './versions/batch-ingestor';
import { DocumentIngestor } from './versions/document-ingestor';
import {
  deleteUnusedParts,
  findAbandonedVersions,
  findUnembeddedVersions,
} from './versions/recovery.repository';

/** Chosen: far longer than memo stands still. */
const OLDEST_UNUSED_PART_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Parts of an upload that is not complete after this time are deleted. It is longer than any upload that makes
 * progress.
 */
const MAX_UPLOAD_DURATION_MS = 24 * 3_600_000;

/** Workspaces whose index is rebuilt between two searches for lost work. Each is one job at a time. */
const REBUILT_WORKSPACES = 20;

/** Versions that are found by one statement. A version with a job is not found again. */
const ABANDONED_PAGE = 100;

/** Restores what killed processes left behind: queues lost jobs again and discards unused data. */
export async function recoverLostWork(database: Database, embeddingModel: string | undefined): Promise<void> {
  await queueAbandonedVersions(database);
  const firstUpload = (ageMs: number) => firstIdAt('up', Date.now() - ageMs);
  await deleteUnusedParts(database, firstUpload(MAX_UPLOAD_DURATION_MS), firstUpload(OLDEST_UNUSED_PART_MS));
  await discardLostVersions(database);
  await deleteOrphanedJobs(database);
  await deleteOldInvitations(database);
  for (const workspaceId of await findWorkspacesOfFormerAnalysis(database, ANALYSIS, REBUILT_WORKSPACES))
    await addMergeJob(database, workspaceId);
  if (await hasGarbage(database)) await addGarbageCollectionJob(database);
  if (embeddingModel === undefined) return;
  await addEmbeddingJobs(database, await findUnembeddedVersions(database, embeddingModel), embeddingModel);
}

async function queueAbandonedVersions(database: Database): Promise<void> {
  let abandoned;
  do {
    abandoned = await findAbandonedVersions(database, ABANDONED_PAGE);
    for (const version of abandoned) await addIngestionJob(database, version);
  } while (abandoned.length === ABANDONED_PAGE);
}

/** Reading a document takes a core. */
const CONCURRENCY = 1;
/** Chosen: half the claim timeout, so that lost work is found soon after it. */
const RECOVERY_INTERVAL_MS = 15_000;

export const RUNS_LONG_JOBS = Symbol('RUNS_LONG_JOBS');

/** Runs the jobs of the queue in a worker process. */
@Injectable()
export class IngestionQueue implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(IngestionQueue.name);
  private readonly jobPool;
  private readonly workers: JobWorker[];
  private recoveryTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    @Inject(INGESTION_CONFIG) { databaseUrl }: IngestionConfig,
    @Inject(VECTORS_CONFIG) private readonly vectors: VectorsConfig,
    private readonly ingestor: DocumentIngestor,
    private readonly batchIngestor: BatchIngestor,
    private readonly extractionThread: ExtractionThread,
    private readonly embedder: Embedder,
    /** Whether this process also runs jobs that take long. */
    @Inject(RUNS_LONG_JOBS) private readonly runsLongJobs: boolean,
  ) {
    const { embeddingModel: model } = vectors;
    const lanes: JobWorkerOptions['tasks'][] = [(signal) => this.readingTasks(signal)];
    // Embedding jobs have a worker of their own, so that no document waits for a slow model.
    if (model !== undefined) lanes.push((signal) => this.embeddingTasks(model, signal));
    const jobPool = createJobPool(
      databaseUrl,
      'memo queue',
      lanes.map(() => CONCURRENCY),
    );
    const options = {
      pool: jobPool,
      schema: JOB_SCHEMAS.memo,
      concurrency: CONCURRENCY,
      logger: this.logger,
    };
    this.jobPool = jobPool;
    this.workers = lanes.map((tasks) => new JobWorker({ ...options, tasks }));
  }

  onApplicationBootstrap(): void {
    for (const worker of this.workers) worker.start();
    const look = () =>
      void recoverLostWork(this.database, this.vectors.embeddingModel).catch((error: Error) =>
        this.logger.warn(`The search for documents without a job failed: ${error.message}`),
      );
    look();
    this.recoveryTimer = setInterval(look, RECOVERY_INTERVAL_MS);
  }

  /** Returns unfinished jobs to the queue. */
  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.recoveryTimer);
    await Promise.all(this.workers.map((worker) => worker.stop()));
    await this.extractionThread.close();
    await this.jobPool.end();
  }

  private readingTasks(signal: AbortSignal) {
    const ingest = (payload: unknown) => this.ingestor.ingest(payload as IngestionJob, signal);
    return {
      [INGEST]: ingest,
      [INGEST_BATCH]: (payload: unknown) => this.batchIngestor.ingest(payload as BatchJob, signal),
      [MERGE]: (payload: unknown) => this.merge(payload as MergeJob, signal),
      ...(this.runsLongJobs && { [INGEST_LONG]: ingest, [COLLECT_GARBAGE]: () => this.clean(signal) }),
    };
  }

  private embeddingTasks(model: string, signal: AbortSignal) {
    return { [EMBED]: (payload: unknown) => this.embedder.embed(payload as IngestionJob, model, signal) };
  }

  private async clean(signal: AbortSignal): Promise<void> {
    if (await collectGarbage(this.database, signal)) await addGarbageCollectionJob(this.database);
  }

  /** One merge per job, so that waiting documents are read in between. */
  private async merge({ workspace_id: id }: MergeJob, signal: AbortSignal): Promise<void> {
    if (await mergeSegments(this.database, id, signal)) await addMergeJob(this.database, id);
  }
}
