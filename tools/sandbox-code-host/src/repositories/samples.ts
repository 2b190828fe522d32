import { consoleEnvironment, type Site } from '../console-environment';
import { type Repositories, repositoryContent } from './repositories';

const OWNER = 'sandbox';
const COMPONENTS = ['engine', 'router', 'agent', 'memo'];
const TAG = 'v1.0.0';
const PUBLISHED_AT = '2026-11-02T09:00:00Z';
const ARCHITECTURES = ['x86_64', 'arm64'];

const POLL_SECONDS = 10;

interface SampleFile {
  extension: string;
  content_type: string;
  content(says: string): string;
}

const script: SampleFile = {
  extension: 'sh',
  content_type: 'application/x-sh',
  content: (says) => `#!/bin/sh\necho "${says}"\n`,
};
const batch: SampleFile = {
  extension: 'cmd',
  content_type: 'application/octet-stream',
  content: (says) => `@echo off\r\necho ${says}\r\n`,
};
const PLATFORMS: Record<string, SampleFile> = { linux: script, darwin: script, windows: batch };

/** Adds one release of each component. Its files contain only their own description. */
export function addSamples(repositories: Repositories): void {
  for (const component of COMPONENTS) {
    const assets = Object.entries(PLATFORMS).flatMap(([platform, { extension, content_type, content }]) =>
      ARCHITECTURES.map((architecture) => ({
        name: `${component}-${TAG}-${platform}-${architecture}.${extension}`,
        content: content(
          `${component} ${TAG} for ${platform} on ${architecture}: a sample without function.`,
        ),
        content_type,
      })),
    );
    const release = { tag_name: TAG, name: `${component} ${TAG}`, published_at: PUBLISHED_AT, assets };
    repositories.set(`${OWNER}/${component}`, repositoryContent.parse({ releases: [release] }));
  }
}

/** The environment variables with which the console of a site follows the samples. */
export function sampleEnvironment(site: Site, url: string): Record<string, string> {
  const repositories = Object.fromEntries(
    COMPONENTS.map((component) => [component, `${OWNER}/${component}`]),
  );
  return consoleEnvironment(site, url, { repositories, pollSeconds: POLL_SECONDS });
}
