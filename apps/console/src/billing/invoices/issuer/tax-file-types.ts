/** The beginning of a text file without byte order mark and white space. */
const textStart = (bytes: Buffer) =>
  bytes
    .subarray(0, 1_024)
    .toString('latin1')
    .replace(/^(\xef\xbb\xbf)?\s*/, '');

interface TaxFileKind {
  extension: string;
  /** Whether the bytes look like this type. */
  matches(bytes: Buffer): boolean;
}

/** The files that an issuer may send, by media type. */
export const TAX_FILE_KINDS: Record<string, TaxFileKind> = {
  'application/pdf': {
    extension: 'pdf',
    matches: (bytes) => bytes.subarray(0, 5).toString('latin1') === '%PDF-',
  },
  // A ZIP archive.
  'application/ofd': {
    extension: 'ofd',
    matches: (bytes) => bytes.subarray(0, 4).toString('latin1') === 'PK\x03\x04',
  },
  'application/xml': { extension: 'xml', matches: (bytes) => /^<(\?xml|[A-Za-z_])/.test(textStart(bytes)) },
  'text/html': { extension: 'html', matches: (bytes) => /^<(!doctype html|html)\b/i.test(textStart(bytes)) },
};

export const TAX_FILE_TYPES = Object.keys(TAX_FILE_KINDS);
