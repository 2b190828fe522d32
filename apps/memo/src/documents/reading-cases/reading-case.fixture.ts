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
