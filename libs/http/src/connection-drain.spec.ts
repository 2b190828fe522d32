import { Agent, get, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Controller, Get, type INestApplication } from '@nestjs/common';
import { testLog } from '@inference/testing';
import { createService } from './service';
import { ServiceModule } from './service.module';

const SLOW_MILLIS = 200;

@Controller('slow')
class SlowController {
  @Get()
  answer(): Promise<string> {
    return new Promise((resolve) => setTimeout(resolve, SLOW_MILLIS, 'done'));
  }
}

class SlowModule {}

let app: INestApplication;
let port: number;
const clients: Socket[] = [];
const agent = new Agent({ keepAlive: true });

beforeEach(async () => {
  const module = { module: SlowModule, imports: [ServiceModule.forRoot({})], controllers: [SlowController] };
  const config = { HOST: '127.0.0.1', PORT: 0, LOG_LEVEL: 'trace' };
  app = await createService(module, config, { name: 'test', logTo: testLog('test') });
  await app.listen(0, '127.0.0.1');
  // Without the drain, an idle connection would stay until its client ends it.
  (app.getHttpServer() as Server).keepAliveTimeout = 0;
  port = (app.getHttpServer().address() as AddressInfo).port;
});
afterAll(() => {
  agent.destroy();
  for (const client of clients) client.destroy();
});

it('does not wait for a connection that never sent anything', async () => {
  const accepted = new Promise((resolve) => app.getHttpServer().once('connection', resolve));
  clients.push(connect(port, '127.0.0.1'));
  await accepted;
  await app.close();
});

it('finishes what is under way, and does not wait for its connection afterwards', async () => {
  const arrived = new Promise((resolve) => app.getHttpServer().once('request', resolve));
  const body = new Promise<string>((resolve, reject) => {
    get({ port, host: '127.0.0.1', path: '/slow', agent }, (response) => {
      response.setEncoding('utf8').once('data', resolve);
    }).on('error', reject);
  });
  await arrived;
  const [text] = await Promise.all([body, app.close()]);
  expect(text).toBe('done');
});
