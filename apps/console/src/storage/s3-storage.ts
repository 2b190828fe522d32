import { type Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { type OnApplicationShutdown } from '@nestjs/common';
import contentDisposition from 'content-disposition';
import { type S3Config } from '../config.catalogue';
import { type DownloadLink, type ObjectStorage } from './object-storage';
import { createS3Client, S3_TIMEOUTS, type S3Timeouts } from './s3-client';
import { type ObjectName, ofS3, uploadToS3 } from './s3-upload';

/** All that removing takes, with what is tried again. */
const REMOVE_MILLIS = 10_000;

const statusOf = (error: unknown) =>
  (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;

async function unlessAbsent(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (statusOf(error) === 404) return false;
    throw error;
  }
}

/**
 * A bucket of Amazon S3, or of a server that speaks its protocol. Our role needs s3:GetObject, PutObject, DeleteObject
 * and AbortMultipartUpload for the objects, ListBucket and ListBucketMultipartUploads for the bucket. Keys are never
 * used twice: that, and a look beforehand, keeps what is there from being written over, since not every server takes
 * `If-None-Match` with an object.
 */
export class S3Storage implements ObjectStorage, OnApplicationShutdown {
  private readonly client: S3Client;
  /** Waits longer. */
  private readonly joiner: S3Client;
  /** Signs for the server as customers reach it; asks nothing. */
  private readonly signer: S3Client;

  constructor(
    private readonly config: S3Config,
    timeouts: S3Timeouts = S3_TIMEOUTS,
  ) {
    this.client = createS3Client(config, config.endpoint, timeouts);
    this.joiner = createS3Client(config, config.endpoint, {
      ...timeouts,
      idleMillis: timeouts.joiningMillis,
    });
    this.signer = createS3Client(config, config.publicEndpoint ?? config.endpoint, timeouts);
  }

  onApplicationShutdown(): void {
    for (const client of [this.client, this.joiner, this.signer]) client.destroy();
  }

  async write(key: string, source: Readable, sizeBytes: number): Promise<void> {
    // It may fail while nobody reads it yet, or no more.
    source.on('error', () => undefined);
    const { client, joiner } = this;
    const exists = unlessAbsent(client.send(new HeadObjectCommand(this.nameOf(key))));
    if (await ofS3(exists)) throw new Error(`The storage has an object ${key} already.`);
    try {
      await uploadToS3({ client, joiner }, this.nameOf(key), source, sizeBytes);
    } catch (error) {
      // Also what a server stored whose answer was lost.
      await this.remove(key).catch(() => undefined);
      throw error;
    }
  }

  async remove(key: string): Promise<void> {
    const options = { abortSignal: AbortSignal.timeout(REMOVE_MILLIS) };
    const name = this.nameOf(key);
    await ofS3(
      (async () => {
        // They come in order, so that those of longer names are behind.
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
    return ofS3(getSignedUrl(this.signer, command, { expiresIn: expiresInSeconds }));
  }

  private nameOf(key: string): ObjectName {
    return { Bucket: this.config.bucket, Key: this.config.prefix + key };
  }
}
