import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { BadRequestException, Inject, Injectable, Optional } from '@nestjs/common';
import { type JsonUpload, type JsonUploadResult, parseJsonUpload } from './json-upload';

/** Path of the built thread, where it is not beside this file. */
export const JSON_UPLOAD_THREAD_FILE = Symbol('JSON_UPLOAD_THREAD_FILE');

const THREAD_FILE = join(__dirname, 'json-upload.thread.js');
/** A longer body is parsed in a thread, so that other requests do not wait. Starting a thread costs more than parsing a shorter body. */
const MAX_INLINE_BYTES = 131_072;

/** Parses the bodies of JSON uploads. */
@Injectable()
export class JsonUploadParser {
  constructor(
    @Optional() @Inject(JSON_UPLOAD_THREAD_FILE) private readonly threadFile: string = THREAD_FILE,
  ) {}

  /** Throws 400 unless the body is a JSON object with a text. */
  async parse(body: Buffer): Promise<JsonUpload> {
    const result =
      body.length <= MAX_INLINE_BYTES
        ? parseJsonUpload(body)
        : await this.parseInThread(new Uint8Array(body));
    if ('fault' in result) throw new BadRequestException(result.fault);
    return result;
  }

  private parseInThread(body: Uint8Array<ArrayBuffer>): Promise<JsonUploadResult> {
    return new Promise((resolve, reject) => {
      const worker = new Worker(this.threadFile, { workerData: body, transferList: [body.buffer] });
      worker.once('message', (result: JsonUploadResult) => resolve(result));
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error('The thread that parses a JSON upload ended early.')));
    });
  }
}
