import { memoryPages, validateXML } from 'xmllint-wasm';

const MEMORY = { maxMemoryPages: memoryPages.GiB };
/** The character references that canonical XML uses in text. */
const CANONICAL: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&#xD;': '\r' };

/** Validates a document against a schema; returns no faults for a valid one. */
export async function faultsOf(xml: string, schema: string): Promise<string[]> {
  const { valid, errors } = await validateXML({ ...MEMORY, xml, schema });
  return valid ? [] : errors.map(({ message }) => message);
}

/** The parsed texts of all elements with this name that contain only text. */
export async function textsOf(xml: string, element: string): Promise<string[]> {
  const { normalized, errors } = await validateXML({ ...MEMORY, xml, normalization: 'c14n' });
  if (errors.length > 0)
    throw new Error(`This is no XML: ${errors.map(({ message }) => message).join('; ')}`);
  return [...normalized.matchAll(new RegExp(`<${element}(?: [^"]*"[^"]*")*>([^<]*)</${element}>`, 'g'))].map(
    ([, text = '']) => text.replace(/&[^;]+;/g, (reference) => CANONICAL[reference]!),
  );
}
