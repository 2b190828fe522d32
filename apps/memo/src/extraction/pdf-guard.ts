import { inflateSync } from 'node:zlib';
import { ReadingError } from './reading-error';

/** Of one stream of a PDF, decoded. */
const MAX_STREAM_BYTES = 128 * 1024 * 1024;
const MEBIBYTE = 1024 * 1024;

/**
 * A few kilobytes of a PDF can decode to gigabytes, in typed arrays that no heap limit sees, and pdf.js has no bound
 * of its own. It inflates either by itself, into one array that it grows by doubling, or through DecompressionStream:
 * so both get a bound in this thread while a PDF is read. pdf.js swallows the error for the stream it hits, hence
 * `check`.
 */
export class PdfGuard {
  private isRefused = false;
  private readonly free = {
    Uint8Array: globalThis.Uint8Array,
    DecompressionStream: globalThis.DecompressionStream,
  };
  private readonly bounded = {
    Uint8Array: this.boundedArray(),
    DecompressionStream: this.boundedInflation(),
  };

  enter(): void {
    this.isRefused = false;
    Object.assign(globalThis, this.bounded);
  }

  leave(): void {
    Object.assign(globalThis, this.free);
  }

  /** `too_complex` if a stream went beyond the bound since `enter`. */
  check(): void {
    if (!this.isRefused) return;
    const most = MAX_STREAM_BYTES / MEBIBYTE;
    throw new ReadingError(
      'too_complex',
      `A part of the PDF is larger than ${most} MiB once it is unpacked.`,
    );
  }

  private boundedArray(): typeof Uint8Array {
    const refuse = () => this.refuse();
    // Nothing comes of this PDF any more: pdf.js need not inflate by itself what it was refused.
    const most = () => (this.isRefused ? MEBIBYTE : MAX_STREAM_BYTES);
    const bounded: typeof Uint8Array = new Proxy(this.free.Uint8Array, {
      construct(target, values: unknown[], newTarget) {
        if (typeof values[0] === 'number' && values[0] > most()) refuse();
        return Reflect.construct(target, values, newTarget === bounded ? target : newTarget) as Uint8Array;
      },
    });
    return bounded;
  }

  private boundedInflation(): unknown {
    const inflate = (bytes: Uint8Array) => this.inflate(bytes);
    return class extends TransformStream<Uint8Array, Uint8Array> {
      constructor(format: string) {
        if (format !== 'deflate') throw new TypeError(`${format} is left to pdf.js`);
        super({ transform: (bytes, controller) => controller.enqueue(inflate(bytes)) });
      }
    };
  }

  /** A damaged stream throws here too: pdf.js then reads by itself what can be read. */
  private inflate(bytes: Uint8Array): Uint8Array {
    try {
      return inflateSync(bytes, { maxOutputLength: MAX_STREAM_BYTES });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') this.refuse();
      throw error;
    }
  }

  private refuse(): never {
    this.isRefused = true;
    throw new RangeError('A stream of the PDF is too large.');
  }
}
