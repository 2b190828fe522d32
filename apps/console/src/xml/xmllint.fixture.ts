import { memoryPages, validateXML } from 'xmllint-wasm';

const MEMORY = { maxMemoryPages: memoryPages.GiB };
/** All that canonical XML escapes in a text. */
const CANONICAL: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&#xD;': '\r' };

/** What is wrong with a document by a schema: empty for a valid one. */
export async function faultsOf(xml: string, schema: string): Promise<string[]> {
  const { valid, errors } = await validateXML({ ...MEMORY, xml, schema });
  return valid ? [] : errors.map(({ message }) => message);
}

/** The texts of all elements of a name that hold nothing but text, as a parser reads them. */
export async function textsOf(xml: string, element: string): Promise<string[]> {
  const { normalized, errors } = await validateXML({ ...MEMORY, xml, normalization: 'c14n' });
  if (errors.length > 0)
    throw new Error(`This is no XML: ${errors.map(({ message }) => message).join('; ')}`);
  return [...normalized.matchAll(new RegExp(`<${element}(?: [^"]*"[^"]*")*>([^<]*)</${element}>`, 'g'))].map(
    ([, text = '']) => text.replace(/&[^;]+;/g, (reference) => CANONICAL[reference]!),
  );
}
