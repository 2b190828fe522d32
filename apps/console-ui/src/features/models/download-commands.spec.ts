import { downloadCommands } from './model-queries';

const PACKAGE = { slug: 'acme/my-model', version: '1.0+b', file_name: "it's.gguf", sha256: 'ab12' };

describe('the commands of a download', () => {
  const [linux, macos, windows] = downloadCommands('https://console.example', PACKAGE);

  it('name the version, so that they can go on after an interruption', () => {
    expect(linux!.code).toContain(
      `'https://console.example/api/models/acme/my-model/download?version=1.0%2Bb'`,
    );
    expect(linux!.code).toContain('-C -');
  });

  it('hand file and digest to the shell as they are', () => {
    expect(linux!.code).toContain(String.raw`echo 'ab12  it'\''s.gguf' | sha256sum -c`);
  });

  it('hold no key', () => {
    expect(linux!.code).toContain('$API_KEY');
    expect(macos!.code).toContain('shasum -a 256 -c');
    expect(windows!.code).toContain('$env:API_KEY');
    expect(windows!.code).toContain(`'it''s.gguf'`);
  });
});
