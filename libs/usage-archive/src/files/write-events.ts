import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type ObjectStorage, partBytesOf } from '@inference/storage';
import { type Archive } from '../archive';
import { type EventRow } from '../database/events.repository';
import { EventCursor, type EventRun } from './event-cursor';
import { type ManifestFile, sumTexts } from './manifest';

/** Also for files whose size is not known before: 10,000 such parts are 160 GB. */
const PART_BYTES = partBytesOf(0);

/**
 * Writes the events of a day into files, each of which ends with the events of an account. Replaces files that an interrupted
 * export has left. After an error nothing is removed: the lock may be lost, and the files those of the next run.
 *
 * @param fileRows after which the next account begins a new file
 */
export async function writeEvents(
  archive: Archive,
  day: Date,
  batches: AsyncGenerator<EventRow[]>,
  fileRows: number,
): Promise<ManifestFile[]> {
  const files: ManifestFile[] = [];
  const cursor = new EventCursor(batches);
  try {
    while (await cursor.next()) {
      const name = `accounts-${String(files.length + 1).padStart(4, '0')}.ndjson.gz`;
      const run = cursor.run((count, last, next) => count < fileRows || next.accountId === last.accountId);
      const { stored, written } = await storeCompressed(archive.storage, archive.key(day, name), run);
      files.push({
        name,
        ...stored,
        content_sha256: written.contentSha256,
        first_account_id: written.first.accountId,
        last_account_id: written.last.accountId,
        first_request_id: written.first.requestId,
        last_request_id: written.last.requestId,
        ...sumTexts(written.sums),
      });
    }
    return files;
  } finally {
    await batches.return(undefined);
  }
}

interface StoredFile {
  bytes: number;
  sha256: string;
}

/** Compresses the lines and stores them while they are read. */
async function storeCompressed(
  storage: ObjectStorage,
  key: string,
  run: AsyncGenerator<Buffer, EventRun>,
): Promise<{ stored: StoredFile; written: EventRun }> {
  await storage.remove(key);
  const uploadId = await storage.beginParts(key);
  let written: EventRun | undefined;
  let stored: StoredFile | undefined;
  await pipeline(
    async function* () {
      written = yield* run;
    },
    createGzip(),
    async (compressed: AsyncIterable<Buffer>) => {
      stored = await storeParts(storage, { key, uploadId }, compressed);
    },
  );
  return { stored: stored!, written: written! };
}

async function storeParts(
  storage: ObjectStorage,
  upload: { key: string; uploadId: string },
  content: AsyncIterable<Buffer>,
): Promise<StoredFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  let parts = 0;
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  const file = () => ({ ...upload, sizeBytes: bytes, partBytes: PART_BYTES });
  const writePart = async () => {
    const all = Buffer.concat(waiting);
    await storage.writePart(file(), (parts += 1), all.subarray(0, PART_BYTES));
    waiting = [all.subarray(PART_BYTES)];
    waitingBytes = waiting[0]!.length;
  };
  for await (const chunk of content) {
    hash.update(chunk);
    bytes += chunk.length;
    waiting.push(chunk);
    waitingBytes += chunk.length;
    while (waitingBytes >= PART_BYTES) await writePart();
  }
  if (waitingBytes > 0) await writePart();
  await storage.joinParts(file());
  return { bytes, sha256: hash.digest('hex') };
}
