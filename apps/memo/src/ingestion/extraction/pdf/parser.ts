import { readFile } from 'node:fs/promises';

const PARSER = 'pdfjs-dist/legacy/build/pdf.worker.mjs';
/** Where pdf.js passes on what a page says about a part of its content, of which it keeps the number only. */
const PART = 'args = [args[0].name, args[1] instanceof Dict ? args[1].get("MCID") : null];';
/** The part is described in place or in the resources of the page (ISO 32000-1, 14.6.2). */
const PART_WITH_TEXT = `{
  const part = args[1] instanceof Name ? resources?.get("Properties") : args[1];
  const described = args[1] instanceof Name && part instanceof Dict ? part.get(args[1].name) : part;
  const isDescribed = described instanceof Dict;
  const text = isDescribed ? described.get("ActualText") : null;
  args = [args[0].name, isDescribed ? described.get("MCID") : null, typeof text === "string" ? stringToPDFString(text) : null];
}`;
/** Names a file beside the source. Node, which reads it under --enable-source-maps, finds none beside a data URL and throws. */
const SOURCE_MAP = /\/\/# sourceMappingURL=\S+\s*$/;

/**
 * Loads the parser of pdf.js, which leaves replacement texts (ISO 32000-1, 14.9.4) out of its operators. The statement that drops them is
 * replaced in the source; a version of pdf.js without it is loaded as it is.
 */
export async function loadParser(): Promise<unknown> {
  const source = await readFile(require.resolve(PARSER), 'utf8');
  if (source.split(PART).length !== 2) return import(PARSER as string);
  const changed = Buffer.from(source.replace(PART, () => PART_WITH_TEXT).replace(SOURCE_MAP, ''));
  return import(`data:text/javascript;base64,${changed.toString('base64')}`);
}
