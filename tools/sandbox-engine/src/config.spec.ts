import { readConfig } from './config';

describe('configuration', () => {
  it('has defaults', () => {
    expect(readConfig([], {})).toEqual({ port: 3090, host: '127.0.0.1' });
  });

  it('is read from the environment, which the command line overrides', () => {
    const env = { SANDBOX_PORT: '4000', SANDBOX_HOST: '::1', SANDBOX_API_KEY: 'secret' };
    expect(readConfig([], env)).toEqual({ port: 4000, host: '::1', apiKey: 'secret' });
    expect(readConfig(['--port', '0', '--host=0.0.0.0'], env)).toEqual({
      port: 0,
      host: '0.0.0.0',
      apiKey: 'secret',
    });
  });

  it('reports all errors at once', () => {
    expect(() => readConfig(['--port', '70000', '--host', ' '], {})).toThrow(/port.*70000.*host/);
    expect(() => readConfig(['--unknown'], {})).toThrow('--unknown');
  });
});
