import { z } from 'zod';
import { service } from './fields';
import { ConfigError, loadConfig } from './load-config';

const schema = z.object({ TRUST_PROXY: service.TRUST_PROXY });
const read = (TRUST_PROXY: string) => loadConfig(schema, { TRUST_PROXY }).TRUST_PROXY;

describe('TRUST_PROXY', () => {
  it.each([
    ['2', 2],
    ['loopback', ['loopback']],
    ['10.0.0.1, 10.1.0.0/16', ['10.0.0.1', '10.1.0.0/16']],
    ['fd00::/8', ['fd00::/8']],
  ])('takes %s', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it.each(['true', 'proxy.example.com', '10.0.0.1/33', '10.0.0.1/8/8', '10.0.0.1,'])('refuses %s', (text) => {
    expect(() => read(text)).toThrow(ConfigError);
  });
});
