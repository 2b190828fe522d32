import { Logger } from '@nestjs/common';
import { newId, type SqlPool } from '@inference/database';
import { type ModelGateway } from '@inference/model-calls';
import { type Member } from '../access/member';
import { compareChunks, type ScoredChunk } from '../search/best-chunks';
import { cosine, signatureOf, spaceOf, unpackVector } from './space';

/** How long a question may take to be embedded before it is answered by its words alone. */
const QUESTION_MILLIS = 1_500;
/** After a failure of the model no question waits for it for so long. */
const PAUSE_MILLIS = 10_000;
/** Of a question that goes on from earlier ones its end. */
const MOST_CHARACTERS = 4_000;
const SILENCE_MILLIS = 60_000;
/** So many are compared exactly: signatures tell roughly which ones are near. */
const CANDIDATES_PER_WANTED = 10;
const LEAST_CANDIDATES = 100;
const MORE = 4;
const MOST_CANDIDATES = 10_000;
/** What says something of the caller's account or question, and nothing of the model. */
const OF_THE_CALLER = new Set([400, 401, 402, 413, 422, 429]);

/** Those that are not served any more have no version; they come without a vector. Base64 as in snapshot.ts. */
const READ = {
  name: 'near-chunks',
  text: `
    WITH near AS MATERIALIZED (
      SELECT number FROM memo.chunk_signatures WHERE space = $2
      ORDER BY bit_count(signature # $3::bit varying) LIMIT $4)
    SELECT near.number::float8 AS number, encode(served.vector, 'base64') AS vector
    FROM near LEFT JOIN LATERAL (
      SELECT x.vector FROM (
        SELECT * FROM memo.document_versions o
        WHERE o.workspace_id = $1 AND o.first_chunk <= near.number ORDER BY o.first_chunk DESC LIMIT 1) v
      JOIN memo.chunk_vectors x
        ON x.document_id = v.document_id AND x.version = v.version AND x.n = near.number - v.first_chunk AND x.space = $2
      WHERE near.number < v.first_chunk + v.chunk_count) served ON true`,
};
const HAS_OTHERS = `
  SELECT FROM memo.document_versions WHERE workspace_id = $1 AND first_chunk IS NOT NULL AND embedding_model = $2 LIMIT 1`;

interface NearRow {
  number: number;
  vector: string | null;
}

/** Finds what means something like a question, whatever its words. */
export class NearChunks {
  private readonly logger = new Logger(NearChunks.name);
  private pausedUntil = 0;
  private silentUntil = 0;

  constructor(
    private readonly pool: SqlPool,
    private readonly models: ModelGateway,
    private readonly model: string,
    /** What is less like the question is not found. */
    private readonly leastCosine: number,
  ) {}

  /** The nearest chunks with their cosines, nearest first. The caller pays. Never rejects: none when it cannot be told. */
  async find(
    member: Pick<Member, 'workspaceId' | 'accountId'>,
    query: string,
    wanted: number,
  ): Promise<ScoredChunk[]> {
    if (Date.now() < this.pausedUntil) return [];
    try {
      const vector = await this.embed(member.accountId, query);
      return vector ? await this.nearest(member.workspaceId, vector, wanted) : [];
    } catch (error) {
      this.warn((error as Error).message);
      return [];
    }
  }

  private async embed(accountId: string, query: string): Promise<Float32Array | null> {
    const { model } = this;
    const timeoutMillis = QUESTION_MILLIS;
    const answer = await this.models.embed({
      accountId,
      requestId: newId('emb'),
      model,
      texts: [query.slice(-MOST_CHARACTERS).toWellFormed()],
      timeoutMillis,
    });
    if (!answer.refusal) return answer.vectors[0]!;
    const { status, code } = answer.refusal;
    if (!OF_THE_CALLER.has(status)) this.pausedUntil = Date.now() + PAUSE_MILLIS;
    this.warn(`the embedding model refuses (${status} ${code})`);
    return null;
  }

  private async nearest(workspaceId: string, vector: Float32Array, wanted: number): Promise<ScoredChunk[]> {
    const enough = Math.max(LEAST_CANDIDATES, wanted * CANDIDATES_PER_WANTED);
    for (let count = enough; ; count = Math.min(count * MORE, MOST_CANDIDATES)) {
      const rows = await this.read(workspaceId, vector, count);
      if (rows.length === 0) await this.lookForOthers(workspaceId);
      const served = rows.flatMap(({ number, vector: packed }) =>
        packed === null ? [] : [{ number, packed }],
      );
      // So many were retired and are still there that others might stand in their place.
      if (served.length < enough && rows.length === count && count < MOST_CANDIDATES) continue;
      return served
        .map(({ number, packed }) => ({
          number,
          score: cosine(vector, unpackVector(Buffer.from(packed, 'base64'))),
        }))
        .filter(({ score }) => score >= this.leastCosine)
        .sort(compareChunks);
    }
  }

  private async read(workspaceId: string, vector: Float32Array, count: number): Promise<NearRow[]> {
    const space = spaceOf(workspaceId, this.model, vector.length);
    return (
      await this.pool.query<NearRow>({ ...READ, values: [workspaceId, space, signatureOf(vector), count] })
    ).rows;
  }

  private async lookForOthers(workspaceId: string): Promise<void> {
    const { rowCount } = await this.pool.query(HAS_OTHERS, [workspaceId, this.model]);
    if (rowCount) this.warn('the embedding model gives vectors of another length than before');
  }

  /** Once in a while, not once a question. */
  private warn(reason: string): void {
    if (Date.now() < this.silentUntil) return;
    this.silentUntil = Date.now() + SILENCE_MILLIS;
    this.logger.warn(`Questions are searched for by their words alone: ${reason}`);
  }
}
