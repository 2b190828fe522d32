import {
  CompleteMultipartUploadCommand,
  type CompletedPart,
  HeadObjectCommand,
  ListPartsCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { type PartedFile, PartsLostError } from '../object-storage';
import { StorageUnavailableError } from '../storage-unavailable';
import { asUnavailable, type ObjectName } from './s3-upload';

interface Clients {
  client: S3Client;
  /** Waits for as long as some servers take to complete an upload. */
  completionClient: S3Client;
}

const statusOf = (error: unknown) =>
  (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;

/** Undefined if the server answered 404. */
export async function undefinedIfAbsent<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

/** Turns the absence of an upload into PartsLostError, and other errors into StorageUnavailableError. */
export async function asUnavailableOrLost<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const message = 'The bucket has no such upload.';
    if ((error as Error).name === 'NoSuchUpload') throw new PartsLostError(message, { cause: error });
    throw new StorageUnavailableError(error);
  }
}

/**
 * Completes a multipart upload, or finds that it is complete. The bucket says which parts it has: two writes of the same
 * content may have different entity tags, and only the last one counts.
 */
export async function completeS3Upload(
  { client, completionClient }: Clients,
  name: ObjectName,
  { uploadId, sizeBytes, partBytes }: PartedFile,
): Promise<void> {
  const isComplete = async () => {
    const found = await asUnavailable(undefinedIfAbsent(client.send(new HeadObjectCommand(name))));
    return found?.ContentLength === sizeBytes;
  };
  if (await isComplete()) return;
  try {
    const Parts = await asUnavailableOrLost(listParts(client, name, uploadId, { sizeBytes, partBytes }));
    await asUnavailableOrLost(
      completionClient.send(
        new CompleteMultipartUploadCommand({ ...name, UploadId: uploadId, MultipartUpload: { Parts } }),
      ),
    );
  } catch (error) {
    // Another process has completed it meanwhile.
    if (error instanceof PartsLostError && (await isComplete())) return;
    throw error;
  }
}

async function listParts(
  client: S3Client,
  name: ObjectName,
  UploadId: string,
  { sizeBytes, partBytes }: Pick<PartedFile, 'sizeBytes' | 'partBytes'>,
): Promise<CompletedPart[]> {
  const parts: CompletedPart[] = [];
  let foundBytes = 0;
  // Some servers send a marker with the last page, too, so the paginator of the SDK would never end.
  for (let isTruncated = true, marker: string | undefined; isTruncated;) {
    const input = { ...name, UploadId, ...(marker !== undefined && { PartNumberMarker: marker }) };
    const page = await client.send(new ListPartsCommand(input));
    for (const { PartNumber, ETag, Size = 0 } of page.Parts ?? []) {
      parts.push({ PartNumber, ETag });
      foundBytes += Size;
    }
    isTruncated = page.IsTruncated === true;
    marker = page.NextPartNumberMarker;
  }
  if (foundBytes !== sizeBytes || parts.length !== Math.ceil(sizeBytes / partBytes))
    throw new PartsLostError(`The bucket has ${foundBytes} of ${sizeBytes} bytes.`);
  return parts;
}
