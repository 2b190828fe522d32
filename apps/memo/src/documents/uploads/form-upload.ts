import { type IncomingHttpHeaders } from 'node:http';
import { type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BadRequestException, HttpException } from '@nestjs/common';
import busboy from 'busboy';
import { type SizeLimit, type SourceFileStore, type StoredFile } from '../source-files/source-file-store';

/** The contents of a form: one file, stored unless it is short, and text fields. */
export interface FormUpload {
  source: StoredFile;
  fileName: string;
  /** Declared by the form, not checked. */
  mediaType: string;
  fields: Record<string, string>;
}

const FILE_FIELD = 'file';
/** More than a valid form needs. A second file is counted so that it is refused by a message, not ignored. */
const LIMITS = { fieldNameSize: 100, fieldSize: 131_072, fields: 16, files: 2, headerPairs: 100 };

/**
 * Reads multipart/form-data as a stream. Throws 400 unless it is a form with exactly one file, as soon as it cannot be one, and the
 * error of the body if the body ends early. In both cases no file stays stored.
 * @param maxHeldBytes see SourceFileStore.write
 */
export async function readFormUpload(
  headers: IncomingHttpHeaders,
  body: Readable,
  sources: SourceFileStore,
  fileLimit: SizeLimit,
  maxHeldBytes: number,
): Promise<FormUpload> {
  const reader = new FormReader(sources, fileLimit, maxHeldBytes);
  const formError = await reader.read(headers, body);
  const file = await reader.file();
  if (formError) {
    if (file) await sources.discard(file.source);
    throw formError;
  }
  if (!file) throw new BadRequestException(`${FILE_FIELD}: is missing`);
  return { ...file, fields: reader.fields };
}

class FormReader {
  /** Has no prototype, so a field may be called `constructor`. */
  readonly fields = Object.create(null) as Record<string, string>;
  private stored: Promise<Omit<FormUpload, 'fields'>> | undefined;
  /** The error with which the form ended inside the file. `read` reports it. */
  private contentError: unknown;
  private storeError: unknown;

  constructor(
    private readonly sources: SourceFileStore,
    private readonly fileLimit: SizeLimit,
    private readonly maxHeldBytes: number,
  ) {}

  /** The error of the form itself; null if it was read to its end. */
  async read(headers: IncomingHttpHeaders, body: Readable): Promise<HttpException | null> {
    try {
      await pipeline(body, this.open(headers));
      return null;
    } catch (error) {
      if (this.storeError !== undefined) return null;
      if (error instanceof HttpException) return error;
      return new BadRequestException(`the form cannot be read: ${(error as Error).message}`);
    }
  }

  /** The stored file; undefined if there is none or the form ended inside it. Throws the error of storing it. */
  async file(): Promise<Omit<FormUpload, 'fields'> | undefined> {
    try {
      return await this.stored;
    } catch (error) {
      if (error === this.contentError) return undefined;
      throw error;
    }
  }

  private open(headers: IncomingHttpHeaders): busboy.Busboy {
    const form = busboy({ headers, defParamCharset: 'utf8', limits: LIMITS });
    form.on('field', (name, value, { valueTruncated }) => {
      if (valueTruncated) refuse(form, `${name}: is too long`);
      if (Object.hasOwn(this.fields, name)) refuse(form, `${name}: must be given once`);
      this.fields[name] = value;
    });
    form.on('file', (name, content, { filename, mimeType }) => {
      content.on('error', (error) => (this.contentError = error));
      if (name === FILE_FIELD && !this.stored)
        this.stored = this.store(form, content, filename ?? '', mimeType);
      else {
        refuse(form, `there must be one file, in the field ${FILE_FIELD}`);
        content.resume();
      }
    });
    for (const limit of ['fieldsLimit', 'filesLimit'] as const)
      form.on(limit, () => refuse(form, 'the form has too many parts'));
    return form;
  }

  private store(form: busboy.Busboy, content: Readable, fileName: string, mediaType: string) {
    const stored = this.sources
      .write(content, this.fileLimit, this.maxHeldBytes)
      .then((source) => ({ source, fileName, mediaType }));
    // `file` awaits the promise after the form has ended. If storing fails, the rest of the form is not read.
    stored.catch((error: Error) => {
      if (error === this.contentError) return;
      this.storeError = error;
      form.destroy(error);
    });
    return stored;
  }
}

/** Reads no further than the bytes that are being read: many small parts take much time. The first error counts. */
function refuse(form: busboy.Busboy, message: string): void {
  process.nextTick(() => form.destroy(new BadRequestException(message)));
}
