import { compare, parse } from 'semver';

/** Whether it is `v<major>.<minor>.<patch>`, with a prerelease part or without (spec: Release); build metadata is not. */
export function isReleaseTag(tag: string): boolean {
  const version = parse(tag);
  return version !== null && tag === `v${version.version}`;
}

/** Whether the tag itself says so, such as v2.0.0-rc.1. */
export const hasPrereleasePart = (tag: string) => (parse(tag)?.prerelease.length ?? 0) > 0;

export interface Taggable {
  tag: string;
  /** What whoever published it says. */
  prerelease: boolean;
}

const isPrerelease = ({ tag, prerelease }: Taggable) => prerelease || hasPrereleasePart(tag);

/**
 * Published releases in the order in which they count: by semantic version, the newest first, and prereleases after all
 * others. Those of one tag stay in the order in which they were given.
 */
export function sortReleases<Release extends Taggable>(releases: Release[]): Release[] {
  return [...releases].sort(
    (a, b) => Number(isPrerelease(a)) - Number(isPrerelease(b)) || compare(b.tag, a.tag),
  );
}
