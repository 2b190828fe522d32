import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { bodyOf, type ConsoleApi, type Schemas } from '../../api/console-api';
import { type Figure } from '../../figures/figure';

export type Downloads = Schemas['DownloadsResponse'];

/** UTC days, both included. */
export interface Days {
  from: string;
  to: string;
}

const MOST_MODELS = 100;

export const downloadsQuery = (api: ConsoleApi, { from, to }: Days) =>
  queryOptions({
    queryKey: ['admin-downloads', from, to],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/api/admin/downloads', { params: { query: { from, to, limit: MOST_MODELS } }, signal }),
      ),
    placeholderData: keepPreviousData,
  });

/** Downloads of a model, or of one of its versions. */
export interface ModelRow {
  slug: string;
  /** Undefined: all versions together. */
  version: string | undefined;
  downloads: Figure;
  accounts: Figure;
  links: Figure;
}

/** Each model, followed by its versions if there are several. */
export const modelRows = ({ models }: Pick<Downloads, 'models'>): ModelRow[] =>
  models.flatMap(({ slug, versions, ...counts }) => [
    { slug, version: versions.length === 1 ? versions[0]!.version : undefined, ...counts },
    ...(versions.length > 1 ? versions.map((version) => ({ slug, ...version })) : []),
  ]);

/** Lookups of a component, or of one of its releases. */
export interface LookupRow {
  component: string;
  /** Undefined: all releases together. */
  tag: string | undefined;
  lookups: Figure;
}

/** Each component, followed by its releases if there are several. */
export const lookupRows = ({ components }: Pick<Downloads, 'components'>): LookupRow[] =>
  components.flatMap(({ component, lookups, releases }) => [
    { component, tag: releases.length === 1 ? releases[0]!.tag_name : undefined, lookups },
    ...(releases.length > 1
      ? releases.map((release) => ({ component, tag: release.tag_name, lookups: release.lookups }))
      : []),
  ]);
