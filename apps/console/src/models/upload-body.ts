import { createHash } from 'node:crypto';
import { type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { BadRequestException } from '@nestjs/common';

/** A request's body on its way to where it is kept, and what is found out about it meanwhile. */
export class UploadBody {
  /** The body as it comes; it fails when the client leaves, stalls, or `giveUp` was called. */
  readonly content: Readable;
  private readonly hash = createHash('sha256');
  private failure: Error | undefined;

  constructor(
    private readonly request: IncomingMessage,
    /** A client that sends nothing for so long, though it is waited for, is taken to have left. */
    private readonly stallMillis: number,
  ) {
    this.content = Readable.from(this.chunks(), { objectMode: false });
  }

  /** Of what was read so far. */
  digest(): Buffer {
    return this.hash.digest();
  }

  /** Fails as soon as the client sends more. */
  giveUp(failure: Error): void {
    this.failure = failure;
  }

  private async *chunks(): AsyncGenerator<Buffer, void> {
    const cutOff = new BadRequestException('the upload was cut off');
    if (this.request.destroyed) throw cutOff;
    const incoming = this.request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
    for (;;) {
      const { done, value } = await this.next(incoming).catch(() => Promise.reject(cutOff));
      if (this.failure) throw this.failure;
      if (done) return;
      this.hash.update(value);
      yield value;
    }
  }

  /** Only the client's own time counts, not what keeping takes. */
  private async next(incoming: AsyncIterator<Buffer>): Promise<IteratorResult<Buffer>> {
    const timer = setTimeout(() => this.request.destroy(), this.stallMillis);
    try {
      return await incoming.next();
    } finally {
      clearTimeout(timer);
    }
  }
}
