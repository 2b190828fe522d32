import { Figure } from '../../figures/figure';
import { assetsFor, installCommand, programOf } from './release-assets';
import { type Asset } from './release-queries';

const asset = (name: string): Asset => ({
  name,
  url: `https://code.example/${name}`,
  size: Figure.of('1'),
  content_type: 'application/octet-stream',
});
const LINUX = { system: 'linux', architecture: 'x86_64' } as const;
const WINDOWS = { system: 'windows', architecture: 'x86_64' } as const;

describe('the files of a release', () => {
  const assets = [
    'libengine_ffi-linux-x86_64.so',
    'engine-linux-x86_64.sha256',
    'engine-linux-x86_64',
    'engine-linux-arm64',
  ];

  it('are those of the platform, the program first', () => {
    expect(assetsFor(assets.map(asset), LINUX).map(({ name }) => name)).toEqual([
      'engine-linux-x86_64',
      'libengine_ffi-linux-x86_64.so',
      'engine-linux-x86_64.sha256',
    ]);
  });

  it('may have no program', () => {
    expect(programOf([asset('libengine_ffi-linux-x86_64.so')], LINUX)).toBeUndefined();
  });
});

describe('the command that installs', () => {
  it('makes a program executable', () => {
    expect(installCommand('engine', asset('engine-linux-x86_64'), LINUX)).toBe(
      "curl -f -L 'https://code.example/engine-linux-x86_64' -o engine\nchmod +x engine",
    );
  });

  it('unpacks an archive', () => {
    expect(installCommand('engine', asset('engine-linux-x86_64.tar.gz'), LINUX)).toContain(
      "tar -xf 'engine-linux-x86_64.tar.gz'",
    );
  });

  it('is for PowerShell on Windows', () => {
    expect(installCommand('engine', asset('engine-windows-x86_64.exe'), WINDOWS)).toBe(
      "curl.exe -f -L -o 'engine.exe' 'https://code.example/engine-windows-x86_64.exe'",
    );
  });
});
