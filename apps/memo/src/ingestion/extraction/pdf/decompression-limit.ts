import { inflateSync } from 'node:zlib';
import { ExtractionError } from '../text/extraction-error';

/**
 * Largest decoded stream of a PDF. It is above the largest page contents; twice as much may exceed the memory of a
 * worker.
 */
const MAX_STREAM_BYTES = 128 * 1024 * 1024;
const MEBIBYTE = 1024 * 1024;

/**
 * Limits the decoded size of PDF streams. A few kilobytes may decode to gigabytes in typed arrays, which count toward
 * no heap limit, and pdf.js has no limit of its own. pdf.js inflates either itself, into an array that it grows by
 * doubling, or through DecompressionStream; both are replaced in this thread while a PDF is read. pdf.js ignores the
 * error for the stream that exceeds the limit, so callers use `check`.
 */
export class DecompressionLimit {
  private isExceeded = false;
  private readonly original = {
    Uint8Array: globalThis.Uint8Array,
    DecompressionStream: globalThis.DecompressionStream,
  };
  private readonly limited = {
    Uint8Array: this.limitedArray(),
    DecompressionStream: this.limitedInflation(),
  };

  enter(): void {
    this.isExceeded = false;
    Object.assign(globalThis, this.limited);
  }

  leave(): void {
    Object.assign(globalThis, this.original);
  }

  /** Throws `too_complex` if a stream exceeded the limit since `enter`. */
  check(): void {
    if (!this.isExceeded) return;
    const maxMebibytes = MAX_STREAM_BYTES / MEBIBYTE;
    throw new ExtractionError(
      'too_complex',
      `A part of the PDF is larger than ${maxMebibytes} MiB once it is unpacked.`,
    );
  }

  private limitedArray(): typeof Uint8Array {
    const refuse = () => this.refuse();
    // The PDF is rejected anyway; this keeps pdf.js from inflating the stream itself.
    const maxBytes = () => (this.isExceeded ? MEBIBYTE : MAX_STREAM_BYTES);
    const limited: typeof Uint8Array = new Proxy(this.original.Uint8Array, {
      construct(target, values: unknown[], newTarget) {
        if (typeof values[0] === 'number' && values[0] > maxBytes()) refuse();
        return Reflect.construct(target, values, newTarget === limited ? target : newTarget) as Uint8Array;
      },
    });
    return limited;
  }

  private limitedInflation(): unknown {
    const inflate = (bytes: Uint8Array) => this.inflate(bytes);
    return class extends TransformStream<Uint8Array, Uint8Array> {
      constructor(format: string) {
        if (format !== 'deflate') throw new TypeError(`${format} is left to pdf.js`);
        super({ transform: (bytes, controller) => controller.enqueue(inflate(bytes)) });
      }
    };
  }

  /** Throws for damaged streams too. pdf.js then reads the readable part itself. */
  private inflate(bytes: Uint8Array): Uint8Array {
    try {
      return inflateSync(bytes, { maxOutputLength: MAX_STREAM_BYTES });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') this.refuse();
      throw error;
    }
  }

  private refuse(): never {
    this.isExceeded = true;
    throw new RangeError('A stream of the PDF is too large.');
  }
}
