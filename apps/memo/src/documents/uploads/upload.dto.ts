import { z } from 'zod';

const MAX_METADATA_PAIRS = 64;
const MAX_TITLE_CHARS = 500;
const CONTROLS = /\p{Cc}+/gu;

/** On one line, because the citations line of an answer contains it. */
const title = z
  .string()
  .transform((text) => text.replace(CONTROLS, ' ').trim())
  .pipe(z.string().min(1).max(MAX_TITLE_CHARS));
export const externalId = z.string().min(1).max(200);
const metadata = z
  .record(z.string().min(1).max(64), z.union([z.string().max(512), z.number(), z.boolean(), z.null()]))
  .refine(
    (pairs) => Object.keys(pairs).length <= MAX_METADATA_PAIRS,
    `must have ${MAX_METADATA_PAIRS} pairs at most`,
  );

/** The fields of a document beside its content. */
export const documentFields = z.strictObject({
  title,
  external_id: externalId.optional(),
  metadata: metadata.default({}),
});
export type DocumentFields = z.output<typeof documentFields>;

const parsedJson = z.string().transform((text, context) => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    context.addIssue({ code: 'custom', message: 'must be JSON' });
    return z.NEVER;
  }
});

/** The file name, cut to the length of a title without splitting a surrogate pair. */
const titleOf = (fileName: string) =>
  fileName
    .replace(CONTROLS, ' ')
    .trim()
    .slice(0, MAX_TITLE_CHARS)
    .replace(/[\ud800-\udbff]$/, '')
    .trim() || 'Untitled';

/** The fields of a form beside its file. The default title is the file name. */
export const formFields = (fileName: string) =>
  z.strictObject({
    title: title.default(titleOf(fileName)),
    external_id: externalId.optional(),
    metadata: parsedJson.pipe(metadata).default({}),
  });
