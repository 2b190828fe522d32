import { type IncomingMessage } from 'node:http';
import { type Socket } from 'node:net';
import { PassThrough, type Readable } from 'node:stream';
import {
  BadRequestException,
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnModuleDestroy,
  PayloadTooLargeException,
  UnsupportedMediaTypeException,
} from '@nestjs/common';
import { validated } from '@inference/dto';
import {
  BodyMemory,
  holderOf,
  JsonFault,
  LEAST_BYTES_PER_SECOND,
  readJson,
  watchArrival,
} from '@inference/http';
import { type Request, type Response } from 'express';
import { serviceStopping } from '../../shutdown/service-stopping';
import { detectMediaType, MEDIA_TYPES, type MediaType, nameOf } from '../../tables/media-type';
import {
  PART_BYTES,
  type SizeLimit,
  SourceFileStore,
  type StoredFile,
} from '../source-files/source-file-store';
import { readFormUpload } from './form-upload';
import { type JsonUpload } from './json-upload';
import { JsonUploadParser } from './json-upload-parser';
import { DocumentFieldsDto, FormFieldsDto, titleOf } from './upload.dto';
import { UPLOADS_CONFIG, type UploadsConfig } from './uploads.config';

/** An uploaded document. Its content is stored unless it is short; the caller discards it if it does not use it. */
export interface Upload {
  source: StoredFile;
  mediaType: MediaType;
  fields: DocumentFieldsDto;
}

/** Largest size of a JSON body relative to its text. Ordinary text has few escapes; a text of escapes only must be uploaded as a file. */
const MAX_JSON_OVERHEAD = 2;
/** Room for the fields of a form beside its file; more than the longest valid title and metadata. */
const MAX_FIELDS_BYTES = 262_144;
/** Most bytes that an upload holds in memory while it arrives: the part that is stored next, or a JSON body of at most this length. */
const MAX_HELD_BYTES = PART_BYTES;
/** A shorter file is stored in the transaction that adds its document, and held in memory until then. */
const MAX_SHORT_FILE_BYTES = 65_536;
/** How long uploads may continue while the service stops. Small ones finish in this time; large ones may take hours. */
const SHUTDOWN_DRAIN_MS = 3_000;
/** A larger text has to come as a file: JSON is parsed as a whole, which takes about seven times its size in memory. */
const MAX_JSON_BYTES = 33_554_432;
const FORM_TYPE = 'multipart/form-data';
const FORMATS = MEDIA_TYPES.map(nameOf).join(', ');
const JSON_TYPE = /^application\/([a-z0-9.+-]+\+)?json\s*(;|$)/i;

/** Reads the bodies of uploads, which are JSON or a form with a file. */
@Injectable()
export class UploadReader implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly activeUploads = new Map<Promise<unknown>, Socket>();
  private readonly fileLimit: SizeLimit;
  private readonly formLimit: SizeLimit;
  private readonly jsonLimit: SizeLimit;
  /** Not that of the other bodies: uploads on slow lines take hours and would block those. */
  private readonly memory: BodyMemory;
  private drained: Promise<void> | undefined;
  /** Stored bodies are parsed one at a time, which bounds the memory of parsing. */
  private lastParse: Promise<unknown> = Promise.resolve();

  constructor(
    @Inject(UPLOADS_CONFIG) private readonly config: UploadsConfig,
    private readonly sources: SourceFileStore,
    private readonly jsonParser: JsonUploadParser,
  ) {
    const { maxDocumentBytes: bytes, memoryBytes } = config;
    this.memory = new BodyMemory(memoryBytes);
    const error = () => new PayloadTooLargeException(`a document has ${bytes} bytes at most`);
    const jsonBytes = bytes * MAX_JSON_OVERHEAD + MAX_FIELDS_BYTES;
    this.fileLimit = { bytes, error };
    this.formLimit = { bytes: bytes + MAX_FIELDS_BYTES, error };
    this.jsonLimit =
      jsonBytes <= MAX_JSON_BYTES
        ? { bytes: jsonBytes, error }
        : { bytes: MAX_JSON_BYTES, error: () => new PayloadTooLargeException(JSON_TOO_LARGE) };
  }

  /**
   * Reads an upload and passes it to `use`, until whose end its content counts as held memory. Throws 400, 413 or 415 for an
   * invalid upload, 429 or 503 without memory, and 503 while the service stops.
   */
  async read<Result>(
    request: Request,
    response: Response,
    use: (upload: Upload) => Promise<Result>,
  ): Promise<Result> {
    if (this.drained) throw serviceStopping();
    const type = request.headers['content-type'] ?? '';
    const isForm = isFormType(type);
    if (!isForm && !JSON_TYPE.test(type))
      throw new UnsupportedMediaTypeException(`Content-Type: must be application/json or ${FORM_TYPE}`);
    if ((request.headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
      throw new UnsupportedMediaTypeException('Content-Encoding: is not supported for documents');
    const limit = isForm ? this.formLimit : this.jsonLimit;
    if (Number(request.headers['content-length'] ?? 0) > limit.bytes) throw limit.error();
    const held = this.memory.begin(holderOf(request), MAX_HELD_BYTES);
    if (request.complete) held.arrive();
    held.grow(Math.min(announcedBytes(request), MAX_HELD_BYTES));
    try {
      if (request.headers.expect !== undefined) response.writeContinue();
      const upload = await this.inTime(request, () =>
        isForm ? this.readForm(request) : this.readJson(request),
      );
      held.arrive(Math.min(held.bytes, bytesInMemory(upload)));
      return await use(upload);
    } finally {
      held.release();
    }
  }

  /** Refuses further uploads. Must return at once: Nest calls it module by module. */
  onModuleDestroy(): void {
    this.drained ??= this.drain();
  }

  /** Resolves when no upload is under way and the parts of interrupted ones are removed. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.drained;
  }

  private async drain(): Promise<void> {
    const timeout = setTimeout(() => {
      for (const socket of this.activeUploads.values()) socket.destroy();
    }, SHUTDOWN_DRAIN_MS);
    await Promise.allSettled(this.activeUploads.keys());
    clearTimeout(timeout);
  }

  /** Disconnects a sender that pauses for too long or is slower than the least rate. */
  private async inTime<T>(request: IncomingMessage, work: () => Promise<T>): Promise<T> {
    const { socket } = request;
    const { clientStallTimeoutMs: graceMillis } = this.config;
    const limits = {
      stallMillis: graceMillis,
      graceMillis,
      leastBytesPerSecond: LEAST_BYTES_PER_SECOND,
      // The largest document at the least rate.
      totalMillis: Infinity,
    };
    const stopWatch = watchArrival(request, limits, () => socket.destroy());
    // After the end of the body the client waits for the service.
    request.once('end', stopWatch);
    const working = work();
    this.activeUploads.set(working, socket);
    try {
      return await working;
    } finally {
      stopWatch();
      this.activeUploads.delete(working);
    }
  }

  private async readForm(request: IncomingMessage): Promise<Upload> {
    const body = limitedBody(request, this.formLimit);
    const form = await readFormUpload(
      request.headers,
      body,
      this.sources,
      this.fileLimit,
      MAX_SHORT_FILE_BYTES,
    );
    const { source, fileName, mediaType: declared, fields } = form;
    try {
      const mediaType = detectMediaType(source.head, fileName, declared);
      if (!mediaType)
        throw new UnsupportedMediaTypeException(
          `${FORM_TYPE}: the file is in none of the formats ${FORMATS}`,
        );
      return { source, mediaType, fields: await formFields(fields, fileName) };
    } catch (error) {
      await this.sources.discard(source);
      throw error;
    }
  }

  private async readJson(request: IncomingMessage): Promise<Upload> {
    const { fields: sent, text } = await this.parseBody(request);
    const fields = await validated(DocumentFieldsDto, sent);
    const source = await this.sources.write([text], this.fileLimit, MAX_SHORT_FILE_BYTES);
    return { source, mediaType: 'text/plain', fields };
  }

  /** A large body is stored while it arrives, however slowly, and is in memory only while it is parsed. */
  private async parseBody(request: IncomingMessage): Promise<JsonUpload> {
    const announced = announcedBytes(request);
    if (announced <= MAX_HELD_BYTES)
      return this.jsonParser.parse(await readWhole(limitedBody(request), announced));
    const { uploadId } = await this.sources.write(limitedBody(request), this.jsonLimit);
    try {
      const parsed = this.lastParse.then(async () =>
        this.jsonParser.parse(await this.sources.readAll(uploadId)),
      );
      this.lastParse = parsed.catch(() => undefined);
      return await parsed;
    } finally {
      await this.sources.remove(uploadId);
    }
  }
}

const bytesInMemory = ({ source, fields }: Upload) =>
  (source.content?.length ?? 0) + Buffer.byteLength(JSON.stringify(fields));

/** The metadata of a form is JSON. It is validated after it is parsed. */
async function formFields(sent: Record<string, string>, fileName: string): Promise<DocumentFieldsDto> {
  const { title = titleOf(fileName), external_id, metadata } = await validated(FormFieldsDto, sent);
  return validated(DocumentFieldsDto, {
    title,
    ...(external_id !== undefined && { external_id }),
    ...(metadata !== undefined && { metadata: parsedMetadata(metadata) }),
  });
}

function parsedMetadata(text: string): unknown {
  try {
    return readJson(Buffer.from(text)).value;
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    throw new BadRequestException(`metadata: ${error.kind === 'syntax' ? 'must be JSON' : error.problem}`);
  }
}

const JSON_TOO_LARGE = `a document has ${MAX_JSON_BYTES} bytes at most as JSON; send it as a file`;

/** The whole body. Chunks are copied: a short one may keep a large buffer. */
async function readWhole(body: Readable, announced: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(announced);
  let length = 0;
  for await (const chunk of body) length += (chunk as Buffer).copy(bytes, length);
  return bytes.subarray(0, length);
}

/** The declared length of a body; infinite without one. */
const announcedBytes = ({ headers }: IncomingMessage) => Number(headers['content-length'] ?? Infinity);

const isFormType = (type: string) => type.toLowerCase().startsWith(FORM_TYPE);

/** A lower bound for the file size of an upload, from its headers. It is 0 for JSON, which may consist of escapes. */
export function minimumFileBytes({ headers }: IncomingMessage): number {
  if (!isFormType(headers['content-type'] ?? '')) return 0;
  return Math.max(0, Number(headers['content-length'] ?? 0) - MAX_FIELDS_BYTES);
}

/**
 * The body of a request. It ends with the limit's error after too many bytes. When it is destroyed, the rest of the
 * request is discarded as it arrives, so that the connection can serve the next request. Destroying the request itself
 * would close the connection.
 */
function limitedBody(request: IncomingMessage, limit?: SizeLimit): Readable {
  const body = new PassThrough();
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (limit && bytes > limit.bytes) body.destroy(limit.error());
  });
  const onClose = () =>
    request.readableEnded || body.destroy(new BadRequestException('the body ended early'));
  // The consumer may have stopped listening by then.
  body.on('error', () => undefined);
  body.once('close', () => request.unpipe(body).resume());
  request.once('close', onClose);
  if (request.closed) onClose();
  return request.pipe(body);
}
