import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Controller, Get, Header, type INestApplication, Res, StreamableFile } from '@nestjs/common';
import { testLog } from '@inference/testing';
import { type Response } from 'express';
import { createService } from '../service';
import { ServiceModule } from '../service.module';

const STALL_MILLIS = 200;
/** More than the system takes of a client that does not read. */
const LARGE_BYTES = 14 * 1024 * 1024;
/** So much the system takes at once, when it takes more. */
const BURST_BYTES = 1.5 * 1024 * 1024;
const PIECE_BYTES = 64 * 1024;

@Controller()
class AnswersController {
  @Get('whole')
  whole(@Res() response: Response): void {
    response.end(Buffer.alloc(LARGE_BYTES));
  }

  @Get('streamed')
  @Header('Content-Length', String(LARGE_BYTES))
  streamed(): StreamableFile {
    return new StreamableFile(Buffer.alloc(LARGE_BYTES));
  }

  /** Says something, and then nothing. */
  @Get('silent')
  silent(@Res() response: Response): void {
    response.write('said');
  }

  /** Goes on to write, whether somebody reads or not. */
  @Get('chatty')
  chatty(@Res() response: Response): void {
    response.write(Buffer.alloc(LARGE_BYTES));
    const timer = setInterval(() => response.write(Buffer.alloc(PIECE_BYTES)), STALL_MILLIS / 10);
    response.once('close', () => clearInterval(timer));
  }
}

class AnswersModule {}

describe('a client', () => {
  let app: INestApplication;
  const clients: Socket[] = [];

  beforeAll(async () => {
    const module = {
      module: AnswersModule,
      imports: [ServiceModule.forRoot({})],
      controllers: [AnswersController],
    };
    const config = { HOST: '127.0.0.1', PORT: 0, LOG_LEVEL: 'trace' };
    const options = { name: 'answers', logTo: testLog('answers'), stallMillis: STALL_MILLIS };
    app = await createService(module, config, options);
    await app.listen(0, '127.0.0.1');
  });
  afterAll(async () => {
    for (const client of clients) client.destroy();
    await app.close();
  });

  /** Both ends of the connection of a client that has asked and reads nothing yet. */
  async function ask(path: string) {
    const { port } = app.getHttpServer().address() as AddressInfo;
    const accepted = once(app.getHttpServer(), 'connection') as Promise<[Socket]>;
    const client = connect({ port, host: '127.0.0.1' });
    clients.push(client);
    client.on('error', () => undefined).pause();
    client.write(`GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`);
    const [served] = await accepted;
    return { client, served };
  }

  const isCut = async (path: string) => {
    const { served } = await ask(path);
    await once(served, 'close', { signal: AbortSignal.timeout(8 * STALL_MILLIS) });
  };

  it('that reads nothing is disconnected', async () => {
    await Promise.all(['/whole', '/streamed', '/chatty'].map(isCut));
  });

  it('that reads slowly, or that nothing waits for, stays connected', async () => {
    const { served: silent } = await ask('/silent');
    const { client, served } = await ask('/whole');
    const beganAt = performance.now();
    let bytes = 0;
    client.on('data', (piece: Buffer) => {
      const bursts = Math.floor(bytes / BURST_BYTES);
      bytes += piece.length;
      if (Math.floor(bytes / BURST_BYTES) === bursts) return;
      client.pause();
      setTimeout(() => client.resume(), STALL_MILLIS / 4);
    });
    client.resume();
    while (bytes < LARGE_BYTES) {
      expect(served.destroyed).toBe(false);
      await pause(5);
    }
    expect(performance.now() - beganAt).toBeGreaterThan(2 * STALL_MILLIS);
    expect(silent.destroyed).toBe(false);
  });
});
