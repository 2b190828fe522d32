import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { PassThrough, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  BadRequestException,
  type BeforeApplicationShutdown,
  type HttpException,
  Inject,
  Injectable,
  PayloadTooLargeException,
  UnsupportedMediaTypeException,
} from '@nestjs/common';
import { checked } from '@inference/http';
import { MEMO_CONFIG, type MemoConfig } from '../config';
import { stoppingNow } from '../stopping';
import { documentFields, type DocumentFields, formFields } from './document.dto';
import { readForm } from './form-document';
import { type JsonDocument, parseJsonDocument } from './json-document';
import { type MediaType, mediaTypeOf } from './media-type';
import { SourceStore, type StoredSource, tooLarge } from './source-store';

/** A document as it was sent. Its content is stored; whoever does not use it removes it. */
export interface Upload {
  source: StoredSource;
  mediaType: MediaType;
  fields: DocumentFields;
}

/** Escapes and the other fields may take so many times the text's own size. */
const JSON_OVERHEAD = 2;
const FIELDS_BYTES = 262_144;
const SMALL_BYTES = 1_048_576;
/** How long uploads may go on while the service stops; they may be hours from their end. */
const DRAIN_MILLIS = 3_000;
/** A larger text comes as a file: JSON is parsed as a whole, which takes about seven times its size of memory. */
const MAX_JSON_BYTES = 33_554_432;
const FORMS = 'multipart/form-data';
const JSON_TYPE = /^application\/([a-z0-9.+-]+\+)?json\s*(;|$)/i;

/** Reads the bodies of uploads, which come as JSON or as a form with a file. */
@Injectable()
export class UploadReader implements BeforeApplicationShutdown {
  private readonly underway = new Map<Promise<unknown>, Socket>();
  private stopping = false;
  /** Larger bodies are parsed one at a time. */
  private parsing: Promise<unknown> = Promise.resolve();

  constructor(
    @Inject(MEMO_CONFIG) private readonly config: MemoConfig,
    private readonly sources: SourceStore,
  ) {}

  /** Throws 400, 413, 415 for what is no document, 503 while the service stops. */
  async read(request: IncomingMessage, response: ServerResponse): Promise<Upload> {
    if (this.stopping) throw stoppingNow();
    const type = request.headers['content-type'] ?? '';
    const isForm = isFormOf(type);
    if (!isForm && !JSON_TYPE.test(type))
      throw new UnsupportedMediaTypeException(`a document is sent as application/json or as ${FORMS}`);
    if ((request.headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
      throw new UnsupportedMediaTypeException('Content-Encoding: a document is sent without one');
    const [most, refusal] = isForm ? this.formLimit() : this.jsonLimit();
    if (Number(request.headers['content-length'] ?? 0) > most) throw refusal;
    if (request.headers.expect !== undefined) response.writeContinue();
    return this.watched(request, () => (isForm ? this.readForm(request) : this.readJson(request)));
  }

  /** Resolves when nothing comes in any more, and what broke off has been taken away. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    const cutOff = setTimeout(() => {
      for (const socket of this.underway.values()) socket.destroy();
    }, DRAIN_MILLIS);
    await Promise.allSettled(this.underway.keys());
    clearTimeout(cutOff);
  }

  /** Hangs up on a sender who sends nothing for too long. */
  private async watched<T>(request: IncomingMessage, work: () => Promise<T>): Promise<T> {
    const { socket } = request;
    const hangUp = () => socket.destroy();
    socket.setTimeout(this.config.CLIENT_STALL_TIMEOUT_SECONDS * 1000, hangUp);
    // Who has sent everything waits for us.
    request.once('end', () => socket.setTimeout(0, hangUp));
    const working = work();
    this.underway.set(working, socket);
    try {
      return await working;
    } finally {
      socket.setTimeout(0, hangUp);
      this.underway.delete(working);
    }
  }

  private formLimit(): [number, HttpException] {
    return [this.config.MAX_DOCUMENT_BYTES + FIELDS_BYTES, tooLarge(this.config)];
  }

  private jsonLimit(): [number, HttpException] {
    const most = this.config.MAX_DOCUMENT_BYTES * JSON_OVERHEAD + FIELDS_BYTES;
    return most <= MAX_JSON_BYTES ? [most, tooLarge(this.config)] : [MAX_JSON_BYTES, tooLargeForJson()];
  }

  private async readForm(request: IncomingMessage): Promise<Upload> {
    const { headers } = request;
    const form = await readForm(headers, bodyOf(request, ...this.formLimit()), this.sources);
    const { source, fileName, mediaType: declared, fields } = form;
    try {
      const mediaType = mediaTypeOf(source.head, fileName, declared);
      if (!mediaType)
        throw new UnsupportedMediaTypeException(`${FORMS}: the file is no txt, md, html, pdf or docx`);
      // Once more, since what was JSON in it has only been parsed now.
      return { source, mediaType, fields: checked(documentFields, checked(formFields(fileName), fields)) };
    } catch (error) {
      await this.sources.remove(source.uploadId);
      throw error;
    }
  }

  private async readJson(request: IncomingMessage): Promise<Upload> {
    const { fields: sent, text } = await this.parseBody(request);
    const fields = checked(documentFields, sent);
    return { source: await this.sources.write([text]), mediaType: 'text/plain', fields };
  }

  /** A large body is stored as it comes, however slowly, and is held as a whole only while it is parsed. */
  private async parseBody(request: IncomingMessage): Promise<JsonDocument> {
    const isSmall = Number(request.headers['content-length']) <= SMALL_BYTES;
    if (isSmall) return parseJsonDocument(await buffer(bodyOf(request)));
    const { uploadId } = await this.sources.write(bodyOf(request), ...this.jsonLimit());
    try {
      const parsed = this.parsing.then(async () => parseJsonDocument(await this.sources.readAll(uploadId)));
      this.parsing = parsed.catch(() => undefined);
      return await parsed;
    } finally {
      await this.sources.remove(uploadId);
    }
  }
}

const isFormOf = (type: string) => type.toLowerCase().startsWith(FORMS);

/** What is known of the size of an upload's file before it is read; of JSON nothing, most of which may be escapes. */
export function leastBytesOf({ headers }: IncomingMessage): number {
  if (!isFormOf(headers['content-type'] ?? '')) return 0;
  return Math.max(0, Number(headers['content-length'] ?? 0) - FIELDS_BYTES);
}

const tooLargeForJson = () =>
  new PayloadTooLargeException(`a document has ${MAX_JSON_BYTES} bytes at most as JSON; send it as a file`);

/**
 * What comes in of a request, at most so many bytes before it breaks off with the refusal. When it is destroyed the rest is
 * thrown away as it comes, so that the connection can serve the next request; a request that is destroyed itself would stop
 * the connection.
 */
function bodyOf(request: IncomingMessage, most = Infinity, refusal?: HttpException): Readable {
  const body = new PassThrough();
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > most) body.destroy(refusal);
  });
  const breakOff = () => request.readableEnded || body.destroy(new BadRequestException('the body broke off'));
  // Whoever reads it may have given it up by then.
  body.on('error', () => undefined);
  body.once('close', () => request.unpipe(body).resume());
  request.once('close', breakOff);
  if (request.closed) breakOff();
  return request.pipe(body);
}
