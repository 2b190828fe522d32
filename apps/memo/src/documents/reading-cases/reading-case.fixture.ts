/** A document whose right reading is known. README.md explains the members of `expect`. */
export interface ReadingCase {
  id: string;
  kind: string;
  /** JSON body of the upload, instead of a file. */
  json?: { title: string; text: string };
  name?: string;
  content?: Buffer;
  expect: {
    status?: 'ready' | 'failed';
    text_contains?: string[];
    text_lacks?: string[];
    count?: Record<string, number>;
    in_order?: string[];
    found_by?: string[];
    not_found_by?: string[];
  };
}

export type Expected = ReadingCase['expect'];

/** Makes cases of a kind whose files are in one format. */
export const fileOf =
  (kind: string, extension: string) =>
  (id: string, content: string | Buffer, expect: Expected): ReadingCase => ({
    id,
    kind,
    name: `${id}.${extension}`,
    content: Buffer.from(content),
    expect: { status: 'ready', ...expect },
  });

/** NFC with runs of white space as one space. */
export const comparable = (text: string): string => text.normalize('NFC').replace(/\p{White_Space}+/gu, ' ');

const countOf = (text: string, part: string): number => text.split(comparable(part)).length - 1;

/** What is wrong with a reading. @param text comparable */
export function wrongIn(text: string, right: Expected): string[] {
  const wrong: string[] = [];
  for (const part of right.text_contains ?? [])
    if (!text.includes(comparable(part))) wrong.push(`lacks ${part}`);
  for (const part of right.text_lacks ?? []) if (text.includes(comparable(part))) wrong.push(`holds ${part}`);
  for (const [part, count] of Object.entries(right.count ?? {}))
    if (countOf(text, part) !== count) wrong.push(`${countOf(text, part)} times ${part}`);
  const order = (right.in_order ?? []).map((part) => text.indexOf(comparable(part)));
  if (order.some((at, n) => at < 0 || at < (order[n - 1] ?? 0))) wrong.push(`order ${order.join()}`);
  return wrong;
}
