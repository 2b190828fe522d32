import { pageQuery } from '@inference/http';
import { z } from 'zod';
import { type Component, COMPONENTS } from '../components/component';
import { isReleaseTag } from '../releases/release-format/release-tag';
import { pastTime } from '../../validation/time-fields';
import { isXmlText } from '../xml/escape-xml';

const MAX_TITLE = 200;
const MAX_BODY = 50_000;
/** The Atom feed is XML, which cannot hold other control characters. */
const NOT_XML_TEXT = 'must not contain control characters other than tabs and line breaks';

const componentField = z.enum(COMPONENTS, `must be one of ${COMPONENTS.join(', ')}`);

export const changelogQuery = pageQuery.extend({ component: componentField.optional() });
export type ChangelogQuery = z.output<typeof changelogQuery>;

export const changelogEntryInput = z
  .strictObject({
    title: z
      .string('must be a text')
      .trim()
      .min(1, 'must not be empty')
      .max(MAX_TITLE, `must have at most ${MAX_TITLE} characters`)
      .regex(/^[^\p{Cc}\p{Zl}\p{Zp}\uFFFE\uFFFF]*$/u, 'must be one line without control characters'),
    /** Markdown. */
    body: z
      .string('must be a text')
      .regex(/\S/, 'must not be empty')
      .max(MAX_BODY, `must have at most ${MAX_BODY} characters`)
      .refine(isXmlText, NOT_XML_TEXT),
    component: componentField.optional(),
    tag_name: z
      .string('must be a text')
      .refine(isReleaseTag, 'must be v<major>.<minor>.<patch>, such as v1.2.3 or v2.0.0-rc.1')
      .optional(),
    published_at: pastTime().optional(),
  })
  .refine(({ component, tag_name: tag }) => tag === undefined || component !== undefined, {
    path: ['tag_name'],
    message: 'must not be given without a component',
  });
export type ChangelogEntryInput = z.output<typeof changelogEntryInput>;

export interface ChangelogEntryView {
  id: string;
  title: string;
  /** Markdown. */
  body: string;
  component?: Component;
  tag_name?: string;
  /** ISO 8601. */
  published_at: string;
}
