import { type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
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
import { z } from 'zod';
import { readConditions, type Representation } from './files-conditions';
import { Turns } from './files-turns';
import { FolderStorage } from './folder-storage';
import { verifyLink } from './link-signature';
import { OBJECT_STORAGE, type ObjectStorage } from './object-storage';
import { StorageUnavailableError } from './storage-unavailable';

/** Read at once. A reader that stalls holds up to three of them in memory. */
const CHUNK_BYTES = 256 * 1024;
/** A reader that takes nothing for so long is gone, or comes back for the rest. */
const STALL_MILLIS = 60_000;
/** What is still under way so long after the service was told to stop is cut off: it may be hours from its end. */
const DRAIN_MILLIS = 3_000;
/** Of a file, and not of what went wrong with it. */
const FILE_HEADERS = ['ETag', 'Last-Modified', 'Accept-Ranges', 'Content-Type', 'Content-Disposition'];

const linkQuery = z.strictObject({ name: z.string(), expires: z.string(), signature: z.string() });

const REFUSALS = {
  expired: 'the link has expired: ask for the download again',
  invalid: 'the link is not valid',
};

/** What went wrong with a file that there should be. */
function failureOf(error: unknown): HttpException {
  const { status } = error as { status?: number };
  if (status === 412) return new HttpException('the file is another one than the request expects', 412);
  if (status === 416) return new HttpException('the file has no such range', 416);
  return status === 404 ? new NotFoundException('no such file') : new StorageUnavailableError(error);
}

/** Sends the files of a folder to whoever has a link to them. */
@Injectable()
export class FilesService implements BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly underway = new Set<Request>();
  private readonly turns = new Turns();
  private drain: NodeJS.Timeout | undefined;

  constructor(@Inject(OBJECT_STORAGE) private readonly storage: ObjectStorage) {}

  /**
   * Answers 200, 206 or 304 with the file, or nothing when the connection ends before. Throws ForbiddenException for a
   * link that is not one of ours or has expired, NotFoundException, 412, 416, RetryLaterException,
   * StorageUnavailableError.
   */
  async send(key: string, request: Request, response: Response): Promise<void> {
    if (!(this.storage instanceof FolderStorage)) throw new NotFoundException('no such file');
    response.set('Cache-Control', 'no-store');
    const fileName = readLink(key, request.query, this.storage.linkSecrets);
    this.underway.add(request);
    try {
      if (await this.turns.comes(request, response))
        await answer(key, fileName, this.storage.packages, request, response);
    } finally {
      this.underway.delete(request);
    }
  }

  beforeApplicationShutdown(): void {
    this.drain = setTimeout(() => {
      // An answer that waits for its turn has no connection of its own to end.
      for (const { socket } of this.underway) socket.destroy();
    }, DRAIN_MILLIS);
  }

  onApplicationShutdown(): void {
    clearTimeout(this.drain);
  }
}

/** @returns the name under which the file is to be kept */
function readLink(key: string, query: unknown, secrets: string[]): string {
  const { data } = linkQuery.safeParse(query);
  if (!data) throw new ForbiddenException(REFUSALS.invalid);
  const { name: fileName, expires, signature } = data;
  const verdict = verifyLink({ key, fileName, expires, signature }, secrets, Date.now());
  if (verdict !== 'valid') throw new ForbiddenException(REFUSALS[verdict]);
  return fileName;
}

async function answer(
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
  const headers = readConditions(request.method, request.headers, representation);
  // It would not be said again that the answer is closed.
  if (request.socket.destroyed) return;
  await sendFile(key, folder, Object.create(request, { headers: { value: headers } }) as Request, response);
}

async function describe(key: string, folder: string): Promise<Representation> {
  const { size, mtime } = await findFile(key, folder);
  // A key never stands for another content.
  return { sizeBytes: size, entityTag: `"${key}-${size}"`, lastModified: mtime.toUTCString() };
}

async function findFile(key: string, folder: string): Promise<Stats> {
  try {
    const found = await stat(join(folder, key));
    if (found.isFile()) return found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw new StorageUnavailableError(error);
    // Without its folder, such as a disk that is not mounted, nothing is known of the file.
    await stat(folder).catch((cause) => {
      throw new StorageUnavailableError(cause);
    });
  }
  throw new NotFoundException('no such file');
}

/** Resolves when the answer has ended, in whatever way; rejects when the file is the reason. */
function sendFile(key: string, folder: string, request: Request, response: Response): Promise<void> {
  const options = {
    root: folder,
    index: false,
    cacheControl: false,
    // For the stream that reads the file.
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
