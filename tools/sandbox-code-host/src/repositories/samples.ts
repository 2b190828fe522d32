import { consoleEnvironment, type Site } from '../console-environment';
import { type Repositories, repositoryContent } from './repositories';

const OWNER = 'sandbox';
/** The components, and whether programs of others load them as a shared library, too (spec: Release downloads). */
const COMPONENTS = { engine: true, router: true, agent: false, memo: false };
const TAG = 'v1.0.0';
const PUBLISHED_AT = '2026-11-02T09:00:00Z';
const ARCHITECTURES = ['x86_64', 'arm64'];

const POLL_SECONDS = 10;

const BINARY = 'application/octet-stream';

interface FileForm {
  prefix: string;
  extension: string;
  content_type: string;
}

interface Platform {
  binary: FileForm;
  library: FileForm;
}

/** The usual names of programs and shared libraries. */
const PLATFORMS: Record<string, Platform> = {
  linux: {
    binary: { prefix: '', extension: '', content_type: BINARY },
    library: { prefix: 'lib', extension: '.so', content_type: BINARY },
  },
  darwin: {
    binary: { prefix: '', extension: '', content_type: BINARY },
    library: { prefix: 'lib', extension: '.dylib', content_type: BINARY },
  },
  windows: {
    binary: { prefix: '', extension: '.exe', content_type: 'application/x-msdos-program' },
    library: { prefix: '', extension: '.dll', content_type: 'application/x-msdownload' },
  },
};

const sampleFile = (name: string, place: string, { prefix, extension, content_type }: FileForm) => ({
  name: `${prefix}${name}-${TAG}-${place}${extension}`,
  content: `${name} ${TAG} for ${place}: a sample without function.\n`,
  content_type,
});

function samplesOf(component: string, hasLibrary: boolean) {
  return Object.entries(PLATFORMS).flatMap(([platform, { binary, library }]) =>
    ARCHITECTURES.flatMap((architecture) => {
      const place = `${platform}-${architecture}`;
      const program = sampleFile(component, place, binary);
      return hasLibrary ? [program, sampleFile(`${component}_ffi`, place, library)] : [program];
    }),
  );
}

/** Adds one release of each component. Its files contain only their own description. */
export function addSamples(repositories: Repositories): void {
  for (const [component, hasLibrary] of Object.entries(COMPONENTS)) {
    const assets = samplesOf(component, hasLibrary);
    const release = { tag_name: TAG, name: `${component} ${TAG}`, published_at: PUBLISHED_AT, assets };
    repositories.set(`${OWNER}/${component}`, repositoryContent.parse({ releases: [release] }));
  }
}

/** The environment variables with which the console of a site follows the samples. */
export function sampleEnvironment(site: Site, url: string): Record<string, string> {
  const repositories = Object.fromEntries(
    Object.keys(COMPONENTS).map((component) => [component, `${OWNER}/${component}`]),
  );
  return consoleEnvironment(site, url, { repositories, pollSeconds: POLL_SECONDS });
}
