import { Inject, Injectable } from '@nestjs/common';
import { newId, SQL_POOL, type SqlPool } from '@inference/database';
import { ModelGateway } from '@inference/model-calls';
import { addEmbeddingJob, type IngestionJob } from '../ingestion/ingestion-jobs';
import { readUnembedded, storeVectors, type Unembedded } from './vector-store';

/** Servers take so many texts in one request, even those that take few. */
const TEXTS = 32;
/** Then the next document has its turn. */
const REQUESTS = 8;
const TIMEOUT_MILLIS = 30_000;

/** Has a model say what the chunks of documents mean that are served; their uploaders pay. */
@Injectable()
export class Embedder {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    private readonly models: ModelGateway,
  ) {}

  /** Throws what the model refuses, for the job to come again later; what it has answered until then is kept. */
  async embed(job: IngestionJob, model: string, stopping: AbortSignal): Promise<void> {
    const served = { documentId: job.document_id, version: job.version };
    for (let requests = 0; requests < REQUESTS && !stopping.aborted; requests++) {
      const unembedded = await readUnembedded(this.pool, served, model, TEXTS);
      if (!unembedded) return;
      const vectors = await this.ask(unembedded, model, stopping);
      if (vectors) await storeVectors(this.pool, served, model, unembedded, vectors);
    }
    await addEmbeddingJob(this.pool, served, model);
  }

  /** Null when this process stops meanwhile. */
  private async ask(
    { title, texts, uploadedBy }: Unembedded,
    model: string,
    stopping: AbortSignal,
  ): Promise<Float32Array[] | null> {
    const answer = await this.models.embed({
      accountId: uploadedBy,
      requestId: newId('emb'),
      model,
      texts: texts.map((text) => `${title}\n\n${text}`),
      timeoutMillis: TIMEOUT_MILLIS,
      signal: stopping,
    });
    if (!answer.refusal) return answer.vectors;
    if (stopping.aborted) return null;
    throw new Error(`The embedding model refuses (${answer.refusal.status} ${answer.refusal.code}).`);
  }
}
