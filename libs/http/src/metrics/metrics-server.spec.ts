import { MetricsServer } from './metrics-server';

const SOURCE = { contentType: 'text/plain', metrics: () => Promise.resolve('things 7\n') };

describe('the server of metrics', () => {
  let server: MetricsServer;
  let isLive: boolean;
  let url: string;

  beforeEach(async () => {
    isLive = true;
    server = new MetricsServer(SOURCE, () => Promise.resolve(isLive));
    url = `http://127.0.0.1:${await server.listen(0, '127.0.0.1')}`;
  });

  afterEach(() => server.onApplicationShutdown());

  async function livez() {
    const response = await fetch(`${url}/livez`);
    const { headers, status } = response;
    return [status, headers.get('content-type'), headers.get('cache-control'), await response.text()];
  }

  it('says whether the process is alive, beside its metrics', async () => {
    expect(await livez()).toEqual([200, 'application/json', 'no-store', '{"status":"ok"}']);
    isLive = false;
    expect(await livez()).toEqual([
      503,
      'application/json',
      'no-store',
      '{"error":"a worker does not answer"}',
    ]);
    expect(await (await fetch(`${url}/metrics`)).text()).toBe('things 7\n');
  });

  it.each(['/metrics', '/livez'])('answers 405 to other methods than GET at %s', async (path) => {
    const response = await fetch(url + path, { method: 'POST' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET']);
  });

  it.each(['/', '/livez/x', '/metrics/x', '/healthz', '/toString'])('answers 404 at %s', async (path) => {
    expect((await fetch(url + path)).status).toBe(404);
  });
});
