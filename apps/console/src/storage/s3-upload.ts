import { type Readable } from 'node:stream';
import {
  CompleteMultipartUploadCommand,
  type CompletedPart,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { announcedBytes } from './announced-bytes';
import { StorageUnavailableError } from './storage-unavailable';

const MIN_PART_BYTES = 16 * 2 ** 20;
const PART_STEP_BYTES = 2 ** 20;
const MAX_PARTS = 10_000;

export interface ObjectName {
  Bucket: string;
  Key: string;
}

/** Whatever the server or the way to it has against us is no fault of whoever asks. */
export async function ofS3<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new StorageUnavailableError(error);
  }
}

/** As small as S3's limit of parts allows. */
export function partBytesOf(sizeBytes: number): number {
  return Math.max(MIN_PART_BYTES, Math.ceil(sizeBytes / MAX_PARTS / PART_STEP_BYTES) * PART_STEP_BYTES);
}

/** Each part is good until the next but one is asked for, which takes its place in memory. */
async function* partsOf(
  source: AsyncIterable<Buffer>,
  sizeBytes: number,
  partBytes: number,
): AsyncGenerator<Buffer, void> {
  const restBytes = Math.max(0, sizeBytes - partBytes);
  const places = [sizeBytes - restBytes, Math.min(restBytes, partBytes)].map((bytes) =>
    Buffer.allocUnsafe(bytes),
  );
  let [place, other] = places as [Buffer, Buffer];
  let filled = 0;
  for await (const chunk of source)
    for (let at = 0; at < chunk.length;) {
      const copied = chunk.copy(place, filled, at);
      at += copied;
      filled += copied;
      if (filled < place.length) continue;
      yield place;
      [place, other] = [other, place];
      filled = 0;
    }
  if (filled > 0) yield place.subarray(0, filled);
}

/**
 * One part goes out while the next one comes in: two parts are in memory. Throws what the source fails with as it is,
 * StorageUnavailableError for the rest; what was sent until then stays there, unfinished.
 */
export async function uploadToS3(
  { client, joiner }: { client: S3Client; joiner: S3Client },
  name: ObjectName,
  source: Readable,
  sizeBytes: number,
): Promise<void> {
  const partBytes = partBytesOf(sizeBytes);
  const parts = partsOf(announcedBytes(source, sizeBytes), sizeBytes, partBytes);
  if (sizeBytes <= partBytes) {
    let whole: Buffer = Buffer.alloc(0);
    for await (const part of parts) whole = part;
    await ofS3(client.send(new PutObjectCommand({ ...name, Body: whole })));
    return;
  }
  const { UploadId } = await ofS3(client.send(new CreateMultipartUploadCommand(name)));
  const Parts: CompletedPart[] = [];
  const send = async (Body: Buffer) => {
    const PartNumber = Parts.length + 1;
    const { ETag } = await client.send(new UploadPartCommand({ ...name, UploadId, PartNumber, Body }));
    Parts.push({ PartNumber, ETag });
  };
  let sending = Promise.resolve();
  try {
    for await (const part of parts) {
      await sending;
      sending = ofS3(send(part));
      // It is waited for when the next part is there.
      sending.catch(() => undefined);
    }
    await sending;
  } finally {
    await sending.catch(() => undefined);
  }
  await ofS3(
    joiner.send(new CompleteMultipartUploadCommand({ ...name, UploadId, MultipartUpload: { Parts } })),
  );
}
