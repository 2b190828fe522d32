import { type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { FolderStorage, type ObjectStorage, StorageUnavailableError, verifyLink } from '@inference/storage';
import {
  type BeforeApplicationShutdown,
  ForbiddenException,
  HttpException,
  Inject,
  Injectable,
  NotFoundException,
  type OnApplicationShutdown,
} from '@nestjs/common';
import contentDisposition from 'content-disposition';
import { type Request, type Response } from 'express';
import send from 'send';
import { OBJECT_STORAGE } from './object-storage.provider';

const SINGLE_RANGE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i;
/** Linear in the length of the header: the pattern cannot backtrack. */
const WEAK_TAG = /W\/"[^"]*"[ \t]*(,|$)/g;
/** A tag that no file has. */
const NO_TAG = '""';

/** The validators of the file, as the response sends them. */
interface Representation {
  sizeBytes: number;
  /** A strong entity tag, with quotes. */
  entityTag: string;
  /** The value of `Last-Modified`. */
  lastModified: string;
}

/** RFC 9110, section 13.1.5: `If-Range` needs the exact date or the same strong tag; a weak tag never matches. */
const isUnchanged = (ifRange: string | string[] | undefined, { entityTag, lastModified }: Representation) =>
  ifRange === undefined || ifRange === entityTag || ifRange === lastModified;

/** RFC 9110, section 14.1.2. Returns undefined for a range to ignore: an invalid one, or several (section 14.2). */
function readRange(range: string, sizeBytes: number): string | undefined {
  const [, first = '', last = ''] = SINGLE_RANGE.exec(range) ?? [];
  if (first === '' && last === '') return undefined;
  if (first !== '') return last !== '' && BigInt(last) < BigInt(first) ? undefined : `bytes=${first}-${last}`;
  // An empty file has no range. A suffix longer than the file selects all of it.
  if (sizeBytes === 0) return undefined;
  return Number(last) < sizeBytes ? `bytes=-${last}` : 'bytes=0-';
}

/**
 * Returns the conditional headers and the range of a request, corrected where the `send` package deviates from RFC 9110.
 * It treats weak tags as strong in If-Match and If-Range, accepts a later date in If-Range, answers 416 to invalid ranges
 * and to suffixes longer than the file, applies Range to HEAD, and answers no 304 to `Cache-Control: no-cache`.
 */
export function readConditionalHeaders(
  method: string,
  headers: IncomingHttpHeaders,
  representation: Representation,
): IncomingHttpHeaders {
  const ifMatch = headers['if-match'];
  const isPartial = method === 'GET' && isUnchanged(headers['if-range'], representation);
  return {
    'if-match': ifMatch === undefined ? undefined : ifMatch.replace(WEAK_TAG, '').trim() || NO_TAG,
    'if-unmodified-since': headers['if-unmodified-since'],
    'if-none-match': headers['if-none-match'],
    'if-modified-since': headers['if-modified-since'],
    range: isPartial ? readRange(String(headers.range), representation.sizeBytes) : undefined,
  };
}

/** Bytes read from the file at once. A client that stalls keeps up to three chunks in memory. */
const CHUNK_BYTES = 256 * 1024;
/** A client that reads nothing for this long is disconnected; it can resume with a range. */
const STALL_MILLIS = 60_000;
/** How long downloads may continue after the start of a shutdown. They may take hours, so they are cut off then. */
const DRAIN_MILLIS = 3_000;
/** Headers that describe the file; an error response must not have them. */
const FILE_HEADERS = ['ETag', 'Last-Modified', 'Accept-Ranges', 'Content-Type', 'Content-Disposition'];

const REFUSALS = {
  expired: 'the link has expired: ask for the download again',
  invalid: 'the link is not valid',
};

/** Maps an error of `send` to the response. */
function failureOf(error: unknown): HttpException {
  const { status } = error as { status?: number };
  if (status === 412)
    return new HttpException('the file does not match the precondition of the request', 412);
  if (status === 416) return new HttpException('the file has no such range', 416);
  return status === 404 ? new NotFoundException('no such file') : new StorageUnavailableError(error);
}

/** Sends files of the folder storage to holders of a valid link. */
@Injectable()
export class FilesService implements BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly inProgress = new Set<Request>();
  private drain: NodeJS.Timeout | undefined;

  constructor(@Inject(OBJECT_STORAGE) private readonly storage: ObjectStorage) {}

  /**
   * Answers 200, 206 or 304; nothing if the connection has ended. Throws ForbiddenException for an invalid or expired
   * link, NotFoundException, StorageUnavailableError, or an HttpException with status 412 or 416.
   */
  async send(key: string, request: Request, response: Response): Promise<void> {
    if (!(this.storage instanceof FolderStorage)) throw new NotFoundException('no such file');
    response.set('Cache-Control', 'no-store');
    const fileName = readLink(key, request.query, this.storage.linkSecrets);
    this.inProgress.add(request);
    try {
      await respond(key, fileName, this.storage.packages, request, response);
    } finally {
      this.inProgress.delete(request);
    }
  }

  beforeApplicationShutdown(): void {
    this.drain = setTimeout(() => {
      for (const { socket } of this.inProgress) socket.destroy();
    }, DRAIN_MILLIS);
  }

  onApplicationShutdown(): void {
    clearTimeout(this.drain);
  }
}

/** Verifies the link and returns the file name that it contains. */
function readLink(key: string, query: Request['query'], secrets: string[]): string {
  const { name: fileName, expires, signature, ...others } = query;
  const isLink =
    typeof fileName === 'string' &&
    typeof expires === 'string' &&
    typeof signature === 'string' &&
    Object.keys(others).length === 0;
  if (!isLink) throw new ForbiddenException(REFUSALS.invalid);
  const verdict = verifyLink({ key, fileName, expires, signature }, secrets, Date.now());
  if (verdict !== 'valid') throw new ForbiddenException(REFUSALS[verdict]);
  return fileName;
}

async function respond(
  key: string,
  fileName: string,
  folder: string,
  request: Request,
  response: Response,
): Promise<void> {
  const representation = await describe(key, folder);
  response.set({
    ETag: representation.entityTag,
    'Last-Modified': representation.lastModified,
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': contentDisposition(fileName),
    'Cache-Control': 'private, no-transform',
    'X-Content-Type-Options': 'nosniff',
  });
  const headers = readConditionalHeaders(request.method, request.headers, representation);
  // `close` has been emitted already, so `sendFile` would wait for it forever.
  if (request.socket.destroyed) return;
  await sendFile(key, folder, Object.create(request, { headers: { value: headers } }) as Request, response);
}

async function describe(key: string, folder: string): Promise<Representation> {
  const { size, mtime } = await findFile(key, folder);
  // The content under a key never changes, so key and size identify it.
  return { sizeBytes: size, entityTag: `"${key}-${size}"`, lastModified: mtime.toUTCString() };
}

async function findFile(key: string, folder: string): Promise<Stats> {
  try {
    const found = await stat(join(folder, key));
    if (found.isFile()) return found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw new StorageUnavailableError(error);
    // If the folder is missing too, a disk may not be mounted: the file is then unavailable, not absent.
    await stat(folder).catch((cause) => {
      throw new StorageUnavailableError(cause);
    });
  }
  throw new NotFoundException('no such file');
}

/** Resolves when the response is closed for any reason. Rejects if the file cannot be sent. */
function sendFile(key: string, folder: string, request: Request, response: Response): Promise<void> {
  const options = {
    root: folder,
    index: false,
    cacheControl: false,
    // An option of the stream that reads the file.
    highWaterMark: CHUNK_BYTES,
  };
  return new Promise((resolve, reject) => {
    response.setTimeout(STALL_MILLIS);
    response.once('close', resolve);
    send(request, key, options)
      .on('error', (error: unknown) => {
        if (!response.headersSent) {
          for (const name of FILE_HEADERS) response.removeHeader(name);
          response.set('Cache-Control', 'no-store');
        }
        reject(failureOf(error));
      })
      .pipe(response);
  });
}
