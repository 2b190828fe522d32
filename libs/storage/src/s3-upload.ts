import { type Readable } from 'node:stream';
import {
  CompleteMultipartUploadCommand,
  type CompletedPart,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { partBytesOf, requireContentLength, StorageUnavailableError } from './object-storage';

export interface ObjectName {
  Bucket: string;
  Key: string;
}

/** Turns errors of the server or the network into StorageUnavailableError. */
export async function asUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new StorageUnavailableError(error);
  }
}

/**
 * Splits the source into parts. Two buffers alternate: a part is valid until the part after the next one is requested.
 */
async function* partsOf(
  source: AsyncIterable<Buffer>,
  sizeBytes: number,
  partBytes: number,
): AsyncGenerator<Buffer, void> {
  const restBytes = Math.max(0, sizeBytes - partBytes);
  const buffers = [sizeBytes - restBytes, Math.min(restBytes, partBytes)].map((bytes) =>
    Buffer.allocUnsafe(bytes),
  );
  let [current, other] = buffers as [Buffer, Buffer];
  let filled = 0;
  for await (const chunk of source)
    for (let at = 0; at < chunk.length;) {
      const copied = chunk.copy(current, filled, at);
      at += copied;
      filled += copied;
      if (filled < current.length) continue;
      yield current;
      [current, other] = [other, current];
      filled = 0;
    }
  if (filled > 0) yield current.subarray(0, filled);
}

/**
 * Uploads the source, sending one part while the next one is read. Rethrows errors of the source unchanged; all others
 * become StorageUnavailableError. Two parts are in memory. After an error the unfinished multipart upload remains on the
 * server.
 */
export async function uploadToS3(
  { client, completionClient }: { client: S3Client; completionClient: S3Client },
  name: ObjectName,
  source: Readable,
  sizeBytes: number,
): Promise<void> {
  const partBytes = partBytesOf(sizeBytes);
  const parts = partsOf(requireContentLength(source, sizeBytes), sizeBytes, partBytes);
  if (sizeBytes <= partBytes) {
    let assembled: Buffer = Buffer.alloc(0);
    for await (const part of parts) assembled = part;
    await asUnavailable(client.send(new PutObjectCommand({ ...name, Body: assembled })));
    return;
  }
  const { UploadId } = await asUnavailable(client.send(new CreateMultipartUploadCommand(name)));
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
      sending = asUnavailable(send(part));
      // Awaited when the next part is ready; this only avoids an unhandled rejection meanwhile.
      sending.catch(() => undefined);
    }
    await sending;
  } finally {
    await sending.catch(() => undefined);
  }
  await asUnavailable(
    completionClient.send(
      new CompleteMultipartUploadCommand({ ...name, UploadId, MultipartUpload: { Parts } }),
    ),
  );
}
