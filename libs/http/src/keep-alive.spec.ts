import { type INestApplication } from '@nestjs/common';
import { testLog } from '@inference/testing';
import { MetricsServer } from './metrics/metrics-server';
import { createService } from './service';
import { ServiceModule } from './service.module';

class EmptyModule {}

let app: INestApplication;

beforeAll(async () => {
  const module = { module: EmptyModule, imports: [ServiceModule.forRoot({})] };
  const config = { HOST: '127.0.0.1', PORT: 0, LOG_LEVEL: 'trace' };
  app = await createService(module, config, { name: 'test', logTo: testLog('test') });
  await app.listen(0, '127.0.0.1');
});
afterAll(() => app.close());

const keepAliveOf = async (url: string) => (await fetch(url)).headers.get('keep-alive');

it('leaves connections open for longer than the 60 seconds of many load balancers', async () => {
  expect(await keepAliveOf(await app.getUrl())).toBe('timeout=75');
});

it('leaves connections of the metrics open from one scrape to the next', async () => {
  const port = await app.get(MetricsServer).listen(0, '127.0.0.1');
  expect(await keepAliveOf(`http://127.0.0.1:${port}/livez`)).toBe('timeout=75');
});
