import { baseUrlFault, isInPrivateNetwork } from './base-url';

describe('the base address of an upstream', () => {
  it.each(['http://127.0.0.1:8000/v1', 'https://models.example.com', 'HTTPS://a.b/v1/'])(
    'may be %s',
    (url) => {
      expect(baseUrlFault(url)).toBeNull();
    },
  );

  it.each([
    ['ftp://a.b/v1', 'http:// or https://'],
    ['a.b/v1', 'http:// or https://'],
    ['http://', 'http:// or https://'],
    ['http://user:secret@a.b/v1', 'no credentials'],
    ['http://a.b/v1?key=1', 'no query'],
    ['http://a.b/v1#x', 'no query and no fragment'],
    ['http://a.b/v1?', 'no query'],
    ['http://a.b/v1 ', 'no white space'],
    ['http://a.b/\n/v1', 'no white space'],
    ['http://a.b/v1\u3000', 'no white space'],
  ])('is not %s', (url, fault) => {
    expect(baseUrlFault(url)).toContain(fault);
  });

  it.each([
    ['http://127.0.0.1:8000/v1', true],
    ['http://[::1]:8000/v1', true],
    ['http://[::ffff:10.0.0.1]/v1', true],
    ['http://10.1.2.3/v1', true],
    ['http://169.254.169.254/latest', true],
    ['http://0x7f000001/v1', true],
    ['http://8.8.8.8/v1', false],
    ['http://[2001:4860:4860::8888]/v1', false],
  ])('%s is in a private network: %s', async (url, expected) => {
    expect(await isInPrivateNetwork(url, () => Promise.reject(new Error('no name')))).toBe(expected);
  });

  it('is judged by every address of its name', async () => {
    const resolve = () => Promise.resolve(['8.8.8.8', '192.168.1.1']);
    expect(await isInPrivateNetwork('http://engine.example.com/v1', resolve)).toBe(true);
    expect(await isInPrivateNetwork('http://engine.example.com/v1', () => Promise.resolve([]))).toBe(false);
  });
});
