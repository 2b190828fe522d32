import { readConfig } from './config';

describe('configuration', () => {
  it('has defaults', () => {
    expect(readConfig([], {})).toEqual({ port: 3090, host: '127.0.0.1', tokensPerSecond: 0 });
  });

  it('is read from the environment, which the command line overrides', () => {
    const env = {
      SANDBOX_PORT: '4000',
      SANDBOX_HOST: '::1',
      SANDBOX_API_KEY: 'secret',
      ENGINE_TOKENS_PER_SECOND: '12.5',
    };
    const others = { apiKey: 'secret', tokensPerSecond: 12.5 };
    expect(readConfig([], env)).toEqual({ port: 4000, host: '::1', ...others });
    expect(readConfig(['--port', '0', '--host=0.0.0.0'], env)).toEqual({
      port: 0,
      host: '0.0.0.0',
      ...others,
    });
  });

  it('reports all errors at once', () => {
    const env = { ENGINE_TOKENS_PER_SECOND: '-1' };
    expect(() => readConfig(['--port', '70000', '--host', ' '], env)).toThrow(
      /port.*70000.*host.*ENGINE_TOKENS_PER_SECOND/,
    );
    expect(() => readConfig([], { ENGINE_TOKENS_PER_SECOND: '1001' })).toThrow('from 0 to 1000');
    expect(() => readConfig(['--unknown'], {})).toThrow('--unknown');
  });
});
