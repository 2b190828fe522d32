import { DOCX, type MediaType } from '../../documents/source-files/media-type';
import { ExtractionError } from './text/extraction-error';

const PDF = Buffer.from('%PDF-');
const ZIP = [Buffer.from('PK\x03\x04', 'latin1'), Buffer.from('PK\x05\x06', 'latin1')];
const OLE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const ENCRYPTED_PACKAGE = Buffer.from('EncryptedPackage', 'utf16le');
/** PDF readers accept a header within the first 1,024 bytes. */
const PDF_HEADER_WITHIN_BYTES = 1_024;

/**
 * Checks the first bytes, so that a file with the wrong extension fails with a clear message before a parser reads
 * it.
 */
export function checkSignature(bytes: Uint8Array, mediaType: MediaType): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const isPdf = file.subarray(0, PDF_HEADER_WITHIN_BYTES).includes(PDF);
  const isZip = ZIP.some((magic) => file.subarray(0, magic.length).equals(magic));
  if (file.subarray(0, OLE.length).equals(OLE)) {
    // Office stores an encrypted DOCX in an OLE file; other OLE files are in the formats of Office 97.
    if (file.includes(ENCRYPTED_PACKAGE))
      throw new ExtractionError('encrypted', 'The document is protected by a password.');
    throw new ExtractionError('unsupported', 'This is an old Office file (such as .doc); save it as .docx.');
  }
  if (mediaType === 'application/pdf') {
    if (!isPdf) throw new ExtractionError('corrupt', 'The file is not a PDF, or its beginning is missing.');
  } else if (mediaType === DOCX) {
    if (!isZip) throw new ExtractionError('corrupt', 'The file is not a DOCX, or its beginning is missing.');
  } else if (isZip) {
    throw new ExtractionError('unsupported', 'The file is a ZIP or Office file, not text.');
  }
}
