import { type IncomingMessage, request } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { Controller, Get, type INestApplication, Module, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { waitFor } from '@inference/testing';
import { type Response } from 'express';
import { sendDownload } from './download';

const CHUNK = Buffer.alloc(65_536, 'x');
/** Far more than all buffers between source and reader hold. */
const ENOUGH_CHUNKS = 2_000;

let source: Readable;
let chunksRead: number;
let outcome: Promise<void>;

@Controller()
class EndlessController {
  @Get()
  download(@Res() response: Response): Promise<void> {
    chunksRead = 0;
    source = new Readable({
      read() {
        chunksRead++;
        setImmediate(() => this.push(CHUNK));
      },
    });
    outcome = sendDownload(response, {
      contentType: 'application/pdf',
      fileName: 'a.pdf',
      contentSecurityPolicy: "default-src 'none'",
      content: source,
    });
    return outcome;
  }
}

@Module({ controllers: [EndlessController] })
class EndlessModule {}

describe('sendDownload', () => {
  let app: INestApplication;

  beforeAll(async () => {
    app = await NestFactory.create(EndlessModule, { logger: false });
    await app.listen(0, '127.0.0.1');
  });
  afterEach(() => source.destroy());
  afterAll(() => {
    app.getHttpServer().closeAllConnections();
    return app.close();
  });

  const open = () =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const { port } = app.getHttpServer().address() as AddressInfo;
      request({ port, host: '127.0.0.1', agent: false }, resolve).once('error', reject).end();
    });

  it('respects backpressure and ends without an error when the client disconnects', async () => {
    const response = await open();
    // The client does not read, so the source stalls at some point.
    let before = -1;
    await waitFor(async () => {
      const isStill = chunksRead === before && chunksRead > 0;
      before = chunksRead;
      await new Promise((resolve) => setTimeout(resolve, 100));
      return isStill;
    });
    expect(chunksRead).toBeLessThan(ENOUGH_CHUNKS);
    response.destroy();
    await waitFor(() => source.destroyed);
    await outcome;
  });

  it('aborts the response when the source fails', async () => {
    const response = await open();
    const broken = new Promise((resolve) =>
      response.once('error', resolve).once('end', () => resolve('whole')),
    );
    response.resume();
    source.destroy(new Error('the source has failed'));
    await expect(outcome).rejects.toThrow('the source has failed');
    expect(await broken).toMatchObject({ code: 'ECONNRESET' });
  });
});
