import { type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Response } from 'express';

export interface Download {
  contentType: string;
  fileName: string;
  contentSecurityPolicy: string;
  content: Readable;
}

/** Sends a file as it is read, for its one reader to keep; who goes away in between stops the reading. */
export async function sendDownload(response: Response, download: Download): Promise<void> {
  const { contentType, fileName, contentSecurityPolicy, content } = download;
  // Writes the name as RFC 6266 and RFC 8187 have it, whatever it is.
  response.attachment(fileName);
  response.set({
    'Content-Type': contentType,
    'Cache-Control': 'private, no-store',
    'Content-Security-Policy': contentSecurityPolicy,
    'X-Content-Type-Options': 'nosniff',
  });
  try {
    await pipeline(content, response);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}
