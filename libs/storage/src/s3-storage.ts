import { type Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  S3Client,
  type S3ClientConfig,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { type OnApplicationShutdown } from '@nestjs/common';
import contentDisposition from 'content-disposition';
import {
  type DownloadLink,
  type ObjectStorage,
  type PartedFile,
  PartsLostError,
  StorageUnavailableError,
} from './object-storage';
import { type S3Config } from './storage.config';
import { asUnavailable, type ObjectName, uploadToS3 } from './s3-upload';

/** Limits on waiting for the server. */
interface S3Timeouts {
  /** Until the connection is established. */
  connectMillis: number;
  /** Without any data in either direction. */
  idleMillis: number;
  /** Like idleMillis, but for CompleteMultipartUpload, which takes minutes on some servers. */
  completionMillis: number;
}

export const S3_TIMEOUTS: S3Timeouts = {
  connectMillis: 3_000,
  idleMillis: 15_000,
  completionMillis: 300_000,
};
/** Attempts of one request, with delays that double: about 1.4 s in total, enough for a throttled or restarting server. */
const MAX_ATTEMPTS = 4;
const FIRST_DELAY_MILLIS = 200;
const nothing = () => undefined;
const SILENT = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };

interface Attempt {
  getRetryCount(): number;
  getRetryDelay(): number;
}

const attempt = (retries: number, delayMillis: number): Attempt => ({
  getRetryCount: () => retries,
  getRetryDelay: () => delayMillis,
});

/** The SDK also reports a broken connection as TimeoutError, but then with the code of its cause. */
function isTimeout(error: (Error & { code?: string }) | undefined): boolean {
  return error?.name === 'TimeoutError' && (error.code === undefined || error.code === 'ETIMEDOUT');
}

/** Retries temporary refusals of the server. Timeouts are not retried: waiting once is long enough. */
const RETRIES: NonNullable<S3ClientConfig['retryStrategy']> = {
  acquireInitialRetryToken: () => Promise.resolve(attempt(0, 0)),
  refreshRetryTokenForRetry: (last, { error, errorType }) => {
    const retries = last.getRetryCount() + 1;
    if (errorType === 'CLIENT_ERROR' || isTimeout(error) || retries >= MAX_ATTEMPTS)
      return Promise.reject(error ?? new Error('The storage refuses.'));
    const delayMillis = FIRST_DELAY_MILLIS * 2 ** (retries - 1) * (0.5 + Math.random() / 2);
    return Promise.resolve(attempt(retries, delayMillis));
  },
  recordSuccess: nothing,
};

/** @param endpoint URL of the server; Amazon's own if undefined */
export function createS3Client(
  config: S3Config,
  endpoint: string | undefined,
  timeouts: S3Timeouts,
): S3Client {
  return new S3Client({
    region: config.region,
    forcePathStyle: config.forcePathStyle,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(config.credentials === undefined ? {} : { credentials: config.credentials }),
    // S3-compatible servers do not support the checksums that the SDK adds by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: MAX_ATTEMPTS,
    retryStrategy: RETRIES,
    requestHandler: {
      connectionTimeout: timeouts.connectMillis,
      socketTimeout: timeouts.idleMillis,
      httpAgent: { keepAlive: true },
      httpsAgent: { keepAlive: true },
      logger: SILENT,
    },
    logger: SILENT,
  });
}

/** Limit of a whole removal, including retries. */
const REMOVE_MILLIS = 10_000;

/** False if the server answered 404. */
const unlessAbsent = async (work: Promise<unknown>): Promise<boolean> =>
  (await undefinedIfAbsent(work.then(() => true))) ?? false;

/**
 * A bucket of Amazon S3 or of a compatible server. The role needs s3:GetObject, PutObject, DeleteObject,
 * AbortMultipartUpload and ListMultipartUploadParts for the objects, and ListBucket and ListBucketMultipartUploads for the
 * bucket. Keys are never reused, and a write checks that its key is free: not every server supports `If-None-Match` for
 * uploads.
 */
export class S3Storage implements ObjectStorage, OnApplicationShutdown {
  private readonly client: S3Client;
  /** Has the longer timeout for completing multipart uploads. */
  private readonly completionClient: S3Client;
  /** Signs links for the URL that customers use; sends no requests. */
  private readonly signer: S3Client;

  constructor(
    private readonly config: S3Config,
    timeouts: S3Timeouts = S3_TIMEOUTS,
  ) {
    this.client = createS3Client(config, config.endpoint, timeouts);
    this.completionClient = createS3Client(config, config.endpoint, {
      ...timeouts,
      idleMillis: timeouts.completionMillis,
    });
    this.signer = createS3Client(config, config.publicEndpoint ?? config.endpoint, timeouts);
  }

  onApplicationShutdown(): void {
    for (const client of [this.client, this.completionClient, this.signer]) client.destroy();
  }

  async write(key: string, source: Readable, sizeBytes: number): Promise<void> {
    // The source may fail while it is not being read; without a listener that would end the process.
    source.on('error', () => undefined);
    const { client, completionClient } = this;
    if ((await this.sizeOf(key)) !== undefined) throw new Error(`The storage has an object ${key} already.`);
    try {
      await uploadToS3({ client, completionClient }, this.nameOf(key), source, sizeBytes);
    } catch (error) {
      // The server may have stored the object although its response was lost.
      await this.remove(key).catch(() => undefined);
      throw error;
    }
  }

  async beginParts(key: string): Promise<string> {
    const { UploadId } = await asUnavailable(
      this.client.send(new CreateMultipartUploadCommand(this.nameOf(key))),
    );
    return UploadId!;
  }

  async writePart({ key, uploadId }: PartedFile, number: number, content: Buffer): Promise<void> {
    const part = { UploadId: uploadId, PartNumber: number, Body: content };
    await asUnavailableOrLost(this.client.send(new UploadPartCommand({ ...this.nameOf(key), ...part })));
  }

  async joinParts(file: PartedFile): Promise<void> {
    const { client, completionClient } = this;
    await completeS3Upload({ client, completionClient }, this.nameOf(file.key), file);
  }

  async read(key: string): Promise<Readable> {
    const { Body } = await asUnavailable(this.client.send(new GetObjectCommand(this.nameOf(key))));
    return Body as Readable;
  }

  async sizeOf(key: string): Promise<number | undefined> {
    const found = undefinedIfAbsent(this.client.send(new HeadObjectCommand(this.nameOf(key))));
    return (await asUnavailable(found))?.ContentLength;
  }

  async remove(key: string): Promise<void> {
    const options = { abortSignal: AbortSignal.timeout(REMOVE_MILLIS) };
    const name = this.nameOf(key);
    await asUnavailable(
      (async () => {
        // The prefix also matches longer names; the list is sorted, so the exact name comes first.
        const search = new ListMultipartUploadsCommand({ Bucket: name.Bucket, Prefix: name.Key });
        const { Uploads = [] } = await this.client.send(search, options);
        for (const { Key, UploadId } of Uploads)
          if (Key === name.Key)
            await unlessAbsent(
              this.client.send(new AbortMultipartUploadCommand({ ...name, UploadId }), options),
            );
        await unlessAbsent(this.client.send(new DeleteObjectCommand(name), options));
      })(),
    );
  }

  link(key: string, { fileName, expiresInSeconds }: DownloadLink): Promise<string> {
    const command = new GetObjectCommand({
      ...this.nameOf(key),
      ResponseContentDisposition: contentDisposition(fileName),
      ResponseContentType: 'application/octet-stream',
    });
    return asUnavailable(getSignedUrl(this.signer, command, { expiresIn: expiresInSeconds }));
  }

  private nameOf(key: string): ObjectName {
    return { Bucket: this.config.bucket, Key: this.config.prefix + key };
  }
}

interface Clients {
  client: S3Client;
  /** Waits for as long as some servers take to complete an upload. */
  completionClient: S3Client;
}

const statusOf = (error: unknown) =>
  (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;

/** Undefined if the server answered 404. */
async function undefinedIfAbsent<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

/** Turns the absence of an upload into PartsLostError, and other errors into StorageUnavailableError. */
async function asUnavailableOrLost<T>(work: Promise<T>): Promise<T> {
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
async function completeS3Upload(
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
