import { Logger } from '@nestjs/common';
import { type Database, newId } from '@inference/database';
import { type GatewayClient } from '@inference/model-calls';
import { type Member } from '../../access/member';
import { compareChunks, type ScoredChunk } from '../ranking/top-chunks';
import { type ChosenDocuments } from '../search/document-conditions.repository';
import { hasVectorsOfModel, type NearChunk, readNearChunks } from './chunk-vectors.repository';
import { cosine, signatureOf, spaceOf, unpackVector } from './vector-space';

/** How long a search waits for the vector of its query; then it uses keywords only. */
const QUERY_EMBEDDING_TIMEOUT_MS = 1_500;
/** After a failure of the model, searches do not call it for this long. */
const FAILURE_PAUSE_MS = 10_000;
/** Of a longer text, such as a follow-up question with earlier ones, the end is embedded. */
const MAX_QUERY_CHARACTERS = 4_000;
/** Time between two warnings in the log. */
const WARNING_INTERVAL_MS = 60_000;
/** Candidates are found by signatures, which are approximate, and ranked by their exact cosine. */
const CANDIDATES_PER_WANTED = 10;
const MIN_CANDIDATES = 100;
/** Factor by which the number of candidates grows while too many of them are retired. */
const CANDIDATE_GROWTH = 4;
const MAX_CANDIDATES = 10_000;
/** Statuses that concern the caller's account or query, not the model. */
const CALLER_ERRORS = new Set([400, 401, 402, 413, 422, 429]);

/** What a search by meaning has found, and the call of the embedding model that it cost, if there was one. */
export interface NearestFound {
  chunks: ScoredChunk[];
  requestId: string | null;
}

const NOTHING: NearestFound = { chunks: [], requestId: null };

/** Finds the chunks that are nearest to a query by their vectors. */
export class NearestChunks {
  private readonly logger = new Logger(NearestChunks.name);
  private pausedUntil = 0;
  private nextWarningAt = 0;

  constructor(
    private readonly database: Database,
    private readonly models: GatewayClient,
    private readonly model: string,
    /** Chunks with a lower cosine are not returned. */
    private readonly minCosine: number,
  ) {}

  /**
   * The nearest chunks with their cosines, nearest first. The caller pays. Never rejects: returns no chunks if the
   * search fails.
   * @param chosen the documents that are searched; null for all
   */
  async find(
    member: Pick<Member, 'workspaceId' | 'accountId'>,
    query: string,
    wanted: number,
    chosen: ChosenDocuments | null = null,
  ): Promise<NearestFound> {
    if (Date.now() < this.pausedUntil) return NOTHING;
    const { vector, requestId } = await this.embed(member.accountId, query);
    if (!vector) return { chunks: [], requestId };
    try {
      return { chunks: await this.nearest(member.workspaceId, vector, wanted, chosen), requestId };
    } catch (error) {
      this.warn((error as Error).message);
      return { chunks: [], requestId };
    }
  }

  private async embed(
    accountId: string,
    query: string,
  ): Promise<{ vector: Float32Array | null; requestId: string | null }> {
    const { model } = this;
    const timeoutMillis = QUERY_EMBEDDING_TIMEOUT_MS;
    const answer = await this.models.embed({
      accountId,
      requestId: newId('emb'),
      model,
      texts: [query.slice(-MAX_QUERY_CHARACTERS).toWellFormed()],
      timeoutMillis,
    });
    const { requestId } = answer;
    if (!answer.refusal) return { vector: answer.vectors[0]!, requestId };
    const { status, code } = answer.refusal;
    if (!CALLER_ERRORS.has(status)) this.pausedUntil = Date.now() + FAILURE_PAUSE_MS;
    this.warn(`the embedding model refuses (${status} ${code})`);
    return { vector: null, requestId };
  }

  private async nearest(
    workspaceId: string,
    vector: Float32Array,
    wanted: number,
    chosen: ChosenDocuments | null,
  ): Promise<ScoredChunk[]> {
    const enough = Math.max(MIN_CANDIDATES, wanted * CANDIDATES_PER_WANTED);
    for (let count = enough; ; count = Math.min(count * CANDIDATE_GROWTH, MAX_CANDIDATES)) {
      const rows = await this.read(workspaceId, vector, count, chosen);
      if (rows.length === 0 && !chosen) await this.warnOfOtherDimensions(workspaceId);
      const served = rows.flatMap(({ number, vector: packed }) =>
        packed === null ? [] : [{ number, packed }],
      );
      // So many of the candidates are retired that others might be nearer.
      if (served.length < enough && rows.length === count && count < MAX_CANDIDATES) continue;
      return served
        .map(({ number, packed }) => ({
          number,
          score: cosine(vector, unpackVector(Buffer.from(packed, 'base64'))),
        }))
        .filter(({ score }) => score >= this.minCosine)
        .sort(compareChunks);
    }
  }

  private read(
    workspaceId: string,
    vector: Float32Array,
    count: number,
    chosen: ChosenDocuments | null,
  ): Promise<NearChunk[]> {
    const space = spaceOf(workspaceId, this.model, vector.length);
    return readNearChunks(this.database, workspaceId, space, signatureOf(vector), count, chosen);
  }

  private async warnOfOtherDimensions(workspaceId: string): Promise<void> {
    if (await hasVectorsOfModel(this.database, workspaceId, this.model))
      this.warn('the embedding model gives vectors of another length than before');
  }

  /** Limits the warnings, since every query may fail. */
  private warn(reason: string): void {
    if (Date.now() < this.nextWarningAt) return;
    this.nextWarningAt = Date.now() + WARNING_INTERVAL_MS;
    this.logger.warn(`Questions are searched by words only: ${reason}`);
  }
}
