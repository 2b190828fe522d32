import { type IncomingHttpHeaders } from 'node:http';
import { type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BadRequestException, HttpException } from '@nestjs/common';
import busboy from 'busboy';
import { type SourceStore, type StoredSource } from './source-store';

/** What a form holds: one file, already stored, and fields of text. */
export interface FormDocument {
  source: StoredSource;
  fileName: string;
  /** As the form says. */
  mediaType: string;
  fields: Record<string, string>;
}

const FILE = 'file';
const LIMITS = { fieldNameSize: 100, fieldSize: 131_072, fields: 16, files: 2, headerPairs: 100 };

/**
 * Reads multipart/form-data as it comes. Throws 400 for what is no form with one file, and what the body breaks off with;
 * nothing of it stays stored then.
 */
export async function readForm(
  headers: IncomingHttpHeaders,
  body: Readable,
  sources: SourceStore,
): Promise<FormDocument> {
  const reader = new FormReader(sources);
  const broken = await reader.read(headers, body);
  const file = await reader.file();
  const [fault] = reader.faults;
  if (broken || fault !== undefined) {
    if (file) await sources.remove(file.source.uploadId);
    throw broken ?? new BadRequestException(fault);
  }
  if (!file) throw new BadRequestException(`${FILE}: is missing`);
  return { ...file, fields: reader.fields };
}

class FormReader {
  /** Without the names that every object has. */
  readonly fields = Object.create(null) as Record<string, string>;
  readonly faults: string[] = [];
  private stored: Promise<Omit<FormDocument, 'fields'>> | undefined;
  /** What broke off within the file, and so is the form's fault. */
  private contentError: unknown;
  private storeError: unknown;

  constructor(private readonly sources: SourceStore) {}

  /** What is wrong with the form as such; null when it was read to its end. */
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

  /** The stored file; undefined when there is none, or the form broke off in its middle. Throws what kept it from being stored. */
  async file(): Promise<Omit<FormDocument, 'fields'> | undefined> {
    try {
      return await this.stored;
    } catch (error) {
      if (error === this.contentError) return undefined;
      throw error;
    }
  }

  private open(headers: IncomingHttpHeaders): busboy.Busboy {
    const form = busboy({ headers, defParamCharset: 'utf8', limits: LIMITS });
    form.on('field', (name, value, { valueTruncated }) => this.onField(name, value, valueTruncated));
    form.on('file', (name, content, { filename, mimeType }) => {
      content.on('error', (error) => (this.contentError = error));
      if (name === FILE && !this.stored) this.stored = this.store(form, content, filename ?? '', mimeType);
      else {
        this.faults.push(`there must be one file, in the field ${FILE}`);
        content.resume();
      }
    });
    for (const limit of ['fieldsLimit', 'filesLimit'] as const)
      form.on(limit, () => this.faults.push('the form has too many parts'));
    return form;
  }

  private onField(name: string, value: string, isTruncated: boolean): void {
    if (isTruncated) this.faults.push(`${name}: is too long`);
    if (Object.hasOwn(this.fields, name)) this.faults.push(`${name}: must be given once`);
    this.fields[name] = value;
  }

  private store(form: busboy.Busboy, content: Readable, fileName: string, mediaType: string) {
    const stored = this.sources.write(content).then((source) => ({ source, fileName, mediaType }));
    // It is awaited when the form has ended; what cannot be stored is not read to its end.
    stored.catch((error: Error) => {
      if (error === this.contentError) return;
      this.storeError = error;
      form.destroy(error);
    });
    return stored;
  }
}
