import { parseAllDocuments } from 'yaml';

/** The documents of a YAML file. Throws on a syntax error. */
export function parseYaml(text: string): unknown[] {
  return parseAllDocuments(text, { merge: true }).map((document) => {
    const [error] = document.errors;
    if (error) throw error;
    return document.toJS() as unknown;
  });
}
