import { type Database, type Transaction } from '@inference/database';
import { deleteParts } from '../../documents/source-files/source-parts.repository';
import {
  addBatchJob,
  addEmbeddingJobs,
  addMergeJob,
  addSeparateJobs,
} from '../../jobs/document-jobs.repository';
import { insertPostings } from '../../retrieval/index/storage/postings.repository';
import { retireChunks, retireVersion } from '../../retrieval/index/storage/retired-chunks.repository';
import { insertSegment } from '../../retrieval/index/storage/segments.repository';
import { insertChunksOfVersions } from '../../retrieval/search/chunks.repository';
import { type Chunk } from '../extraction-thread/chunker';
import { type BatchedDocument, type ExtractedBatch } from '../extraction-thread/thread-messages';
import {
  lockClaims,
  markVersionsReady,
  type NumberedVersion,
  unclaimVersions,
} from './batch-claims.repository';
import {
  deleteVersion,
  lockDocumentsInWorkspace,
  reserveChunkNumbers,
  serveVersions,
} from './publication.repository';
import { type ClaimedVersion, markVersionFailed } from './version-claims.repository';

interface IndexedVersion extends NumberedVersion {
  texts: Chunk[];
}

type Outcome = [version: ClaimedVersion, document: BatchedDocument];

/**
 * Publishes the documents of a batch in one transaction: each in place of its previous version, and all of them with one
 * segment. What was deleted or replaced since it was claimed is not published; its chunks in the segment are retired.
 * @param claimed versions of one workspace and one runner, in the order of the batch
 * @param embeddingModel embeds the chunks later; undefined if there is none
 */
export async function publishBatch(
  database: Database,
  claimed: readonly ClaimedVersion[],
  { documents, segment, postings }: ExtractedBatch,
  embeddingModel: string | undefined,
): Promise<void> {
  const { workspaceId } = claimed[0]!;
  await database.transaction(async (transaction) => {
    const ids = claimed.map(({ documentId }) => documentId);
    const servingVersions = await lockDocumentsInWorkspace(transaction, workspaceId, ids);
    const held = await lockClaims(transaction, claimed);
    if (held.size === 0) return;
    const firstChunk = await reserveChunkNumbers(transaction, workspaceId, segment.chunks);
    const indexed = numbered(claimed, documents, firstChunk);
    const [published, lost] = partition(indexed, (version) => held.has(version.claimed.documentId));
    if (segment.chunks > 0) {
      const owner = { workspaceId, firstChunk: Number(firstChunk) };
      await insertPostings(transaction, await insertSegment(transaction, owner, segment), postings);
    }
    await publishVersions(transaction, published, servingVersions);
    for (const version of lost) await retireChunks(transaction, workspaceId, version);
    const outcomes = claimed.map((version, place): Outcome => [version, documents[place]!]);
    await finish(
      transaction,
      outcomes.filter(([{ documentId }]) => held.has(documentId)),
    );
    if (embeddingModel !== undefined)
      await addEmbeddingJobs(
        transaction,
        published.map((version) => version.claimed),
        embeddingModel,
      );
    // This lock comes last, because all changes in the workspace update the same job row.
    if (segment.chunks > 0) await addMergeJob(transaction, workspaceId);
  });
}

/** Returns the documents of a batch to the queue. @param attempts see unclaimVersions */
export async function releaseBatch(
  database: Database,
  claimed: readonly ClaimedVersion[],
  attempts: 0 | 1,
): Promise<void> {
  await database.transaction((transaction) => release(transaction, claimed, attempts));
  if (attempts === 0) await addBatchJob(database, claimed[0]!.workspaceId);
}

async function publishVersions(
  transaction: Transaction,
  versions: readonly IndexedVersion[],
  servingVersions: ReadonlyMap<string, number | null>,
): Promise<void> {
  if (versions.length === 0) return;
  const rows = versions.flatMap(({ claimed: { documentId, version }, texts }) =>
    texts.map((chunk) => ({ documentId, version, ...chunk })),
  );
  await insertChunksOfVersions(transaction, rows);
  await markVersionsReady(transaction, versions);
  await serveVersions(
    transaction,
    versions.map(({ claimed }) => claimed),
  );
  for (const { documentId } of versions.map(({ claimed }) => claimed)) {
    const previous = servingVersions.get(documentId) ?? null;
    if (previous === null) continue;
    await retireVersion(transaction, documentId, previous);
    await deleteVersion(transaction, documentId, previous);
  }
}

/** Marks what cannot be read as failed, queues what is to be read alone, and deletes the files of those that were read. */
async function finish(transaction: Transaction, outcomes: readonly Outcome[]): Promise<void> {
  const alone: ClaimedVersion[] = [];
  const read: ClaimedVersion[] = [];
  for (const [version, document] of outcomes) {
    if (document === null) alone.push(version);
    else if (!('code' in document)) read.push(version);
    else await markVersionFailed(transaction, version, document.code, document.message);
  }
  await deleteParts(
    transaction,
    read.map(({ uploadId }) => uploadId),
  );
  await release(transaction, alone, 1);
}

async function release(
  transaction: Transaction,
  claimed: readonly ClaimedVersion[],
  attempts: 0 | 1,
): Promise<void> {
  const released = await unclaimVersions(transaction, claimed, attempts);
  await addSeparateJobs(
    transaction,
    released.map((version) => ({ ...version, attempts })),
  );
}

/** The documents that have chunks, with the numbers of their chunks in the workspace. */
function numbered(
  claimed: readonly ClaimedVersion[],
  documents: readonly BatchedDocument[],
  firstChunk: bigint,
): IndexedVersion[] {
  let next = firstChunk;
  return claimed.flatMap((version, place) => {
    const document = documents[place]!;
    if (!isIndexed(document)) return [];
    const { chunks: texts, words, reading } = document;
    const first = next;
    next += BigInt(texts.length);
    return [{ claimed: version, firstChunk: first, chunks: texts.length, words, reading, texts }];
  });
}

const isIndexed = (document: BatchedDocument): document is Extract<BatchedDocument, { chunks: Chunk[] }> =>
  document !== null && 'chunks' in document;

function partition<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
