import { type Readable } from 'node:stream';
import { InstantProperty, TextField } from '@inference/dto';
import { streamTo } from '@inference/http';
import { ApiProperty } from '@nestjs/swagger';
import { type Response } from 'express';

/** A link that needs no credential. */
export class DownloadLinkResponse {
  @ApiProperty({
    description: 'Opens the download. Whoever has the link can use it until it expires.',
    format: 'uri',
    example: 'https://console.example.com/api/billing/receipts/pay_0Vc3kZ8dQ1mXw7RtYb2LsA/file?link=eyJhb',
  })
  url!: string;

  @InstantProperty({ description: 'When the link stops working.' })
  expires_at!: string;
}

export class LinkQuery {
  @TextField({ description: 'From the link. It replaces a credential.', maxLength: 2_000, example: 'eyJhb' })
  link!: string;
}

export interface Download {
  contentType: string;
  fileName: string;
  contentSecurityPolicy: string;
  content: Readable;
}

/** Streams a private file as an attachment. A client that disconnects ends the stream without an error. */
export async function sendDownload(response: Response, download: Download): Promise<void> {
  const { contentType, fileName, contentSecurityPolicy, content } = download;
  // Encodes any file name as RFC 6266 and RFC 8187 require.
  response.attachment(fileName);
  response.set({
    'Content-Type': contentType,
    'Cache-Control': 'private, no-store',
    'Content-Security-Policy': contentSecurityPolicy,
    'X-Content-Type-Options': 'nosniff',
  });
  await sendStream(response, content);
}

/** Streams the body of a response. A client that disconnects ends the stream without an error. */
export async function sendStream(response: Response, content: Readable): Promise<void> {
  try {
    await streamTo(response, content);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}
