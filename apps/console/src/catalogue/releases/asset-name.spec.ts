import { missingInAssetName } from './release-asset';

it.each([
  ...[
    'engine-v1.2.3-linux-x86_64.tar.gz',
    'engine-v1.2.3-win64.zip',
    'router_1.0.0_darwin_arm64.dmg',
    'memo-Linux-AArch64',
  ],
  ...[
    'libengine-x86_64-unknown-linux-musl.so',
    'agent-macos-universal.pkg',
    'engine.wasi.wasm32',
    'agent windows amd64.msi',
  ],
  ...[
    'engine-android-armeabi-v7a.aar',
    'linux-riscv64',
    'engine-freebsd-14-amd64.txz',
    'engine-x86_64-pc-windows-msvc.zip',
  ],
])('%s names both', (name) => expect(missingInAssetName(name)).toBeNull());

it.each([
  ['engine-linux.tar.gz', 'architecture', 'platform'],
  ['engine-arm64.tar.gz', 'platform', 'architecture'],
  ['darwinengine-arm64', 'platform', 'architecture'],
])('%s lacks one: %s', (name, missing, there) => {
  expect(missingInAssetName(name)).toContain(missing);
  expect(missingInAssetName(name)).not.toContain(there);
});

it.each(['SHA256SUMS', 'engine.tar.gz', 'winner-armada.zip'])('%s lacks both', (name) => {
  expect(missingInAssetName(name)).toMatch(/platform.* and an architecture/);
});
