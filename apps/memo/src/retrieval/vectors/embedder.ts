import { Injectable } from '@nestjs/common';
import { Database, newId } from '@inference/database';
import { GatewayClient } from '@inference/model-calls';
import { type IngestionJob } from '../../jobs/document-jobs';
import { addEmbeddingJobs } from '../../jobs/document-jobs.repository';
import { readUnembedded, storeVectors, type UnembeddedChunks } from './chunk-vectors.repository';

/** Texts of one request. Half doubles the number of requests; twice exceeds the batch limit of some servers. */
const TEXTS_PER_REQUEST = 32;
/** Requests of one job; then the document is queued again behind the others. */
const REQUESTS_PER_JOB = 8;
/** Time limit of one request. After it the job fails and is retried later. */
const REQUEST_TIMEOUT_MS = 30_000;

/** Embeds the chunks of published documents. The account that uploaded the document pays. */
@Injectable()
export class Embedder {
  constructor(
    private readonly database: Database,
    private readonly models: GatewayClient,
  ) {}

  /** Throws if the model refuses, so that the job is retried later. Vectors received until then are kept. */
  async embed(job: IngestionJob, model: string, stopping: AbortSignal): Promise<void> {
    const served = { documentId: job.document_id, version: job.version };
    for (let requests = 0; requests < REQUESTS_PER_JOB && !stopping.aborted; requests++) {
      const unembedded = await readUnembedded(this.database, served, model, TEXTS_PER_REQUEST);
      if (!unembedded) return;
      const vectors = await this.ask(unembedded, model, stopping);
      if (!vectors) continue;
      await this.database.transaction((transaction) =>
        storeVectors(transaction, served, model, unembedded, vectors),
      );
    }
    await addEmbeddingJobs(this.database, [served], model);
  }

  /** Null if this process stops. */
  private async ask(
    { title, texts, uploadedBy }: UnembeddedChunks,
    model: string,
    stopping: AbortSignal,
  ): Promise<Float32Array[] | null> {
    const answer = await this.models.embed({
      accountId: uploadedBy,
      requestId: newId('emb'),
      model,
      texts: texts.map((text) => `${title}\n\n${text}`),
      timeoutMillis: REQUEST_TIMEOUT_MS,
      signal: stopping,
    });
    if (!answer.refusal) return answer.vectors;
    if (stopping.aborted) return null;
    throw new Error(`The embedding model refuses (${answer.refusal.status} ${answer.refusal.code}).`);
  }
}
