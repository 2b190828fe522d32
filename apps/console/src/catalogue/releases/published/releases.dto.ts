import { pageQuery } from '@inference/http';
import { z } from 'zod';
import { singleLineText } from '../../../validation/text-fields';
import { pastTime } from '../../../validation/time-fields';
import { missingInAssetName } from '../release-format/asset-name';
import { COMPONENTS } from '../../components/component';
import { contentTypeOf, isFileName, isMediaType, MAX_ASSETS } from '../release-format/release-asset';

const MAX_NAME_CHARS = 200;
const MAX_URL_CHARS = 2_000;

const assetName = z
  .string()
  .min(1, 'must not be empty')
  .max(MAX_NAME_CHARS, `must have at most ${MAX_NAME_CHARS} characters`)
  .superRefine((name, context) => {
    if (name === '') return;
    if (!isFileName(name)) context.addIssue('must not contain slashes or control characters');
    const missing = missingInAssetName(name);
    if (missing !== null) context.addIssue(`must name ${missing}, between "-", "_", "." or spaces`);
  });

const asset = z
  .strictObject({
    name: assetName,
    /** The allowed origin depends on the configuration: the service checks it. */
    url: z.string().max(MAX_URL_CHARS, `must have at most ${MAX_URL_CHARS} characters`),
    size: z
      .number('must be a number')
      .refine((size) => Number.isSafeInteger(size) && size >= 0, 'must be a whole number from 0 to 2^53 - 1'),
    content_type: z.string().refine(isMediaType, 'must be a media type such as application/zip').optional(),
  })
  .transform(({ content_type: type, ...rest }) => ({
    ...rest,
    content_type: type ?? contentTypeOf(rest.name),
  }));

const assets = z
  .array(asset)
  .max(MAX_ASSETS, `must have at most ${MAX_ASSETS} files`)
  .superRefine((all, context) => {
    const seen = new Set<string>();
    for (const [index, { name }] of all.entries()) {
      if (seen.has(name))
        context.addIssue({ code: 'custom', path: [index, 'name'], message: 'occurs twice' });
      seen.add(name);
    }
  });

/** The service checks `prerelease` against the tag, which also determines its default. */
export const releaseInput = z
  .strictObject({
    name: singleLineText(MAX_NAME_CHARS),
    draft: z.boolean('must be true or false').default(false),
    prerelease: z.boolean('must be true or false').optional(),
    published_at: pastTime().optional(),
    assets,
  })
  .refine(({ draft, assets }) => draft || assets.length > 0, {
    path: ['assets'],
    message: 'must hold at least one file, except in a draft',
  });
export type ReleaseInput = z.output<typeof releaseInput>;

export const releasesQuery = pageQuery.extend({
  component: z.enum(COMPONENTS, `must be one of ${COMPONENTS.join(', ')}`).optional(),
});
export type ReleasesQuery = z.output<typeof releasesQuery>;
