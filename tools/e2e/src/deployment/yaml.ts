import { createRequire } from 'node:module';

/** The YAML parser that Nx depends on. */
const { parseAllDocuments } = createRequire(require.resolve('nx/package.json'))('yaml') as {
  parseAllDocuments(text: string, options: { merge: boolean }): { errors: Error[]; toJS(): unknown }[];
};

/** The documents of a YAML file. Throws on a syntax error. */
export function parseYaml(text: string): unknown[] {
  return parseAllDocuments(text, { merge: true }).map((document) => {
    const [error] = document.errors;
    if (error) throw error;
    return document.toJS();
  });
}
