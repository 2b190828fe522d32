import { startSandboxEngine } from './index';

const BODY = { messages: [{ role: 'user', content: 'hi' }], stream: true };

function post(url: string, model: string): Promise<Response> {
  const body = JSON.stringify({ ...BODY, model });
  return fetch(`${url}/v1/chat/completions`, { method: 'POST', body });
}

describe('an engine', () => {
  it('finishes running responses while it closes, and accepts no new requests', async () => {
    const engine = await startSandboxEngine({ port: 0 });
    const response = await post(engine.url, 'sandbox-chat+delay=20+tokens=10');
    const closed = engine.close(10_000);
    await expect(post(engine.url, 'sandbox-chat')).rejects.toThrow();
    expect((await response.text()).endsWith('data: [DONE]\n\n')).toBe(true);
    await closed;
    expect(engine.served()).toMatchObject({ completion_tokens: 10, aborted: 0 });
  });

  it('aborts responses that exceed the grace period', async () => {
    const engine = await startSandboxEngine({ port: 0 });
    const response = await post(engine.url, 'sandbox-chat+hang-mid');
    await engine.close(50);
    await expect(response.text()).rejects.toThrow();
  });

  it('rejects a port that is taken', async () => {
    const engine = await startSandboxEngine({ port: 0 });
    const port = Number(new URL(engine.url).port);
    await expect(startSandboxEngine({ port })).rejects.toThrow('EADDRINUSE');
    await engine.close();
  });
});
