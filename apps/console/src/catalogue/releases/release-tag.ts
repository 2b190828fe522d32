import { field, type FieldOptions } from '@inference/dto';
import { ValidateBy } from 'class-validator';
import { compare, parse } from 'semver';

/** True for `v<major>.<minor>.<patch>` with an optional prerelease part, without build metadata (spec: Release). */
export function isReleaseTag(tag: string): boolean {
  const version = parse(tag);
  return version !== null && tag === `v${version.version}`;
}

/** True for tags such as v2.0.0-rc.1. */
export const hasPrereleasePart = (tag: string) => (parse(tag)?.prerelease.length ?? 0) > 0;

export interface TaggedRelease {
  tag: string;
  /** The flag set by the publisher. */
  prerelease: boolean;
}

const isPrerelease = ({ tag, prerelease }: TaggedRelease) => prerelease || hasPrereleasePart(tag);

/**
 * Sorts releases by semantic version, newest first, with prereleases after all others. The sort is stable: releases of
 * the same tag keep their order.
 */
export function sortReleases<Release extends TaggedRelease>(releases: Release[]): Release[] {
  return [...releases].sort(
    (a, b) => Number(isPrerelease(a)) - Number(isPrerelease(b)) || compare(b.tag, a.tag),
  );
}

/** A tag such as v1.2.3 (spec: Release). */
export const ReleaseTagField = (options: FieldOptions): PropertyDecorator =>
  field(
    { example: 'v1.2.3', ...options },
    { type: 'string', pattern: String.raw`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$` },
    ValidateBy({
      name: 'isReleaseTag',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && isReleaseTag(value),
        defaultMessage: () =>
          'must be v<major>.<minor>.<patch>, such as v1.2.3 or v2.0.0-rc.1, without build metadata',
      },
    }),
  );
