import { createHash } from 'node:crypto';
import { type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { BadRequestException } from '@nestjs/common';
import { allowedMillis, LEAST_BYTES_PER_SECOND } from '@inference/http';

/** Streams a request's body to the storage and computes its digest. */
export class UploadBody {
  /** The body. It fails if the client disconnects or stalls, or after `giveUp`. */
  readonly content: Readable;
  private readonly hash = createHash('sha256');
  private failure: Error | undefined;
  private arrivedBytes = 0;
  /** How long the client was waited for. */
  private waitedMillis = 0;

  constructor(
    private readonly request: IncomingMessage,
    /** A client that sends nothing for this long while the server is reading is disconnected, or later one below the least rate. */
    private readonly stallMillis: number,
  ) {
    this.content = Readable.from(this.chunks(), { objectMode: false });
  }

  /** SHA-256 of what was read so far; to be called once. */
  digest(): Buffer {
    return this.hash.digest();
  }

  /** Makes the stream fail with this error at its next chunk. */
  giveUp(failure: Error): void {
    this.failure = failure;
  }

  private async *chunks(): AsyncGenerator<Buffer, void> {
    const interrupted = new BadRequestException('the upload was cut off');
    if (this.request.destroyed) throw interrupted;
    const incoming = this.request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
    for (;;) {
      const { done, value } = await this.next(incoming).catch(() => Promise.reject(interrupted));
      if (this.failure) throw this.failure;
      if (done) return;
      this.arrivedBytes += value.length;
      this.hash.update(value);
      yield value;
    }
  }

  /** Limits the time of the client only, not that of the storage. */
  private async next(incoming: AsyncIterator<Buffer>): Promise<IteratorResult<Buffer>> {
    const rate = {
      graceMillis: this.stallMillis,
      leastBytesPerSecond: LEAST_BYTES_PER_SECOND,
      totalMillis: Infinity,
    };
    const leftMillis = allowedMillis(this.arrivedBytes, rate) - this.waitedMillis;
    const startedAt = performance.now();
    const timer = setTimeout(() => this.request.destroy(), Math.min(this.stallMillis, leftMillis));
    try {
      return await incoming.next();
    } finally {
      clearTimeout(timer);
      this.waitedMillis += performance.now() - startedAt;
    }
  }
}
