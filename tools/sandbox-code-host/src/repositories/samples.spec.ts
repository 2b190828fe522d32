import { Repositories } from './repositories';
import { addSamples } from './samples';

const PLACES = ['linux', 'darwin', 'windows'].flatMap((platform) =>
  ['x86_64', 'arm64'].map((architecture) => `${platform}-${architecture}`),
);

const repositories = new Repositories();
addSamples(repositories);

function assetsOf(component: string) {
  const releases = repositories.find(`sandbox/${component}`)!;
  expect(releases).toHaveLength(1);
  return releases[0]!.assets;
}

const binariesOf = (component: string) =>
  PLACES.map((place) => `${component}-v1.0.0-${place}${place.startsWith('windows') ? '.exe' : ''}`);

it.each(['engine', 'router'])(
  'the release of %s has a binary and a shared library for each platform',
  (name) => {
    const libraries = [
      ...['linux-x86_64.so', 'linux-arm64.so', 'darwin-x86_64.dylib', 'darwin-arm64.dylib'].map(
        (ending) => `lib${name}_ffi-v1.0.0-${ending}`,
      ),
      ...['windows-x86_64.dll', 'windows-arm64.dll'].map((ending) => `${name}_ffi-v1.0.0-${ending}`),
    ];
    const names = assetsOf(name).map((asset) => asset.name);
    expect(names.sort()).toEqual([...binariesOf(name), ...libraries].sort());
  },
);

it.each(['agent', 'memo'])('the release of %s has a binary for each platform', (name) => {
  expect(assetsOf(name).map((asset) => asset.name)).toEqual(binariesOf(name));
});

it('every file has content and a media type', () => {
  for (const { content, content_type: type } of assetsOf('engine')) {
    expect(content).not.toBe('');
    expect(type).toMatch(/^application\//);
  }
});
