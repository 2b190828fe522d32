import { platformOf, platformOfBrowser } from './release-assets';

describe('the platform of a file', () => {
  it.each([
    ['engine-v1.0.0-linux-x86_64', 'linux', 'x86_64'],
    ['libengine_ffi-v1.0.0-linux-arm64.so', 'linux', 'arm64'],
    ['engine-v1.2.3-darwin-aarch64.tar.gz', 'macos', 'arm64'],
    ['engine-macos-amd64.zip', 'macos', 'x86_64'],
    ['engine_ffi-v1.0.0-windows-x86_64.dll', 'windows', 'x86_64'],
    ['engine-win64.exe', 'windows', 'x86_64'],
  ])('of %s', (name, system, architecture) => {
    expect(platformOf(name)).toEqual({ system, architecture });
  });

  it.each(['SHA256SUMS', 'engine-linux-riscv64', 'engine-freebsd-x86_64'])('is not known of %s', (name) => {
    expect(platformOf(name)).toBeUndefined();
  });
});

describe('the platform of a browser', () => {
  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36', 'linux', 'x86_64'],
    ['Mozilla/5.0 (X11; Linux aarch64; rv:130.0)', 'linux', 'arm64'],
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64)', 'windows', 'x86_64'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)', 'macos', 'arm64'],
  ])('of %s', (userAgent, system, architecture) => {
    expect(platformOfBrowser(userAgent)).toEqual({ system, architecture });
  });

  it('is not known of a phone', () => {
    expect(platformOfBrowser('Mozilla/5.0 (Linux; Android 15) Mobile')).toBeUndefined();
  });
});
