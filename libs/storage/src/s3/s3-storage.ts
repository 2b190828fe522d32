import { type Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { type OnApplicationShutdown } from '@nestjs/common';
import contentDisposition from 'content-disposition';
import { type S3Config } from '../storage.config';
import { type DownloadLink, type ObjectStorage, type PartedFile } from '../object-storage';
import { createS3Client, S3_TIMEOUTS, type S3Timeouts } from './s3-client';
import { asUnavailableOrLost, completeS3Upload, undefinedIfAbsent } from './s3-parts';
import { type ObjectName, asUnavailable, uploadToS3 } from './s3-upload';

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
