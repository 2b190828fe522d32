import { createHash } from 'node:crypto';
import { z } from 'zod';

const FORMAT = 'usage-events';
/** Of the columns of an event, `EVENT_COLUMNS`. Version 1 has none of `LATER_COLUMNS`. */
const SCHEMA_VERSION = 2;
const DAY_CHARS = 'yyyy-mm-dd'.length;

const count = z.int().nonnegative();
/** Exact at every size, also for readers whose numbers are floating-point. */
const integerText = z.string().regex(/^\d+$/);
const sha256Text = z.string().regex(/^[0-9a-f]{64}$/);
const sumFields = {
  rows: count,
  input_tokens: integerText,
  output_tokens: integerText,
  cost_picos: integerText,
  cost_usd_picos: integerText,
};

const fileSchema = z.strictObject({
  name: z.string().regex(/^accounts-\d{4}\.ndjson\.gz$/),
  bytes: count,
  /** Of the file as it is stored. */
  sha256: sha256Text,
  /** Of the lines in it. */
  content_sha256: sha256Text,
  /** The file has all events of the day of the accounts from the first to the last one, by the order of their bytes. */
  first_account_id: z.string(),
  last_account_id: z.string(),
  first_request_id: z.string(),
  last_request_id: z.string(),
  ...sumFields,
});

const manifestSchema = z.strictObject({
  format: z.literal(FORMAT),
  schema_version: z.int().min(1).max(SCHEMA_VERSION),
  day: z.iso.date(),
  ...sumFields,
  files: z.array(fileSchema).min(1),
});

/** A file of events. */
export type ManifestFile = z.output<typeof fileSchema>;
/** What the storage has of a day. */
export type Manifest = z.output<typeof manifestSchema>;

/** Sums of events. Tokens are counts, costs picos. */
export interface EventSums {
  rows: number;
  inputTokens: bigint;
  outputTokens: bigint;
  costPicos: bigint;
  costUsdPicos: bigint;
}

export const noEvents = (): EventSums => ({
  rows: 0,
  inputTokens: 0n,
  outputTokens: 0n,
  costPicos: 0n,
  costUsdPicos: 0n,
});

/** Adds the second sums to the first ones. */
export function addSums(to: EventSums, added: EventSums): void {
  to.rows += added.rows;
  to.inputTokens += added.inputTokens;
  to.outputTokens += added.outputTokens;
  to.costPicos += added.costPicos;
  to.costUsdPicos += added.costUsdPicos;
}

/** The sums as a manifest has them. */
export const sumTexts = (sums: EventSums): Pick<Manifest, keyof typeof sumFields> => ({
  rows: sums.rows,
  input_tokens: String(sums.inputTokens),
  output_tokens: String(sums.outputTokens),
  cost_picos: String(sums.costPicos),
  cost_usd_picos: String(sums.costUsdPicos),
});

export const sumsOf = (texts: Pick<Manifest, keyof typeof sumFields>): EventSums => ({
  rows: texts.rows,
  inputTokens: BigInt(texts.input_tokens),
  outputTokens: BigInt(texts.output_tokens),
  costPicos: BigInt(texts.cost_picos),
  costUsdPicos: BigInt(texts.cost_usd_picos),
});

/** `yyyy-mm-dd` of the start of a day. */
export const dayText = (day: Date): string => day.toISOString().slice(0, DAY_CHARS);

function totalOf(files: ManifestFile[]): ReturnType<typeof sumTexts> {
  const sums = noEvents();
  for (const file of files) addSums(sums, sumsOf(file));
  return sumTexts(sums);
}

/** The text of the manifest of files. The same files always have the same text. */
export function manifestTextOf(day: Date, files: ManifestFile[]): string {
  const manifest: Manifest = {
    format: FORMAT,
    schema_version: SCHEMA_VERSION,
    day: dayText(day),
    ...totalOf(files),
    files,
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** A manifest that this release cannot read. */
export class ManifestError extends Error {}

/** Reads the manifest of a day. Throws a ManifestError. */
export function parseManifest(day: Date, text: string): Manifest {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw new ManifestError('the manifest is no JSON');
  }
  const version = (content as { schema_version?: unknown } | null)?.schema_version;
  if (typeof version === 'number' && version > SCHEMA_VERSION)
    throw new ManifestError(
      `the manifest has schema version ${version}, and this release reads ${SCHEMA_VERSION}`,
    );
  const result = manifestSchema.safeParse(content);
  if (!result.success) {
    const [issue] = result.error.issues;
    throw new ManifestError(
      `the manifest is wrong at ${issue!.path.join('.') || 'its root'}: ${issue!.message}`,
    );
  }
  if (result.data.day !== dayText(day)) throw new ManifestError(`the manifest is that of ${result.data.day}`);
  const total = totalOf(result.data.files);
  if ((Object.keys(total) as (keyof typeof total)[]).some((name) => total[name] !== result.data[name]))
    throw new ManifestError('the sums of the manifest are not those of its files');
  return result.data;
}

export const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');
