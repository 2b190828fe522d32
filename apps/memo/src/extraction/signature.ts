import { DOCX, type MediaType } from '../documents/media-type';
import { ReadingError } from './reading-error';

const PDF = Buffer.from('%PDF-');
const ZIP = [Buffer.from('PK\x03\x04', 'latin1'), Buffer.from('PK\x05\x06', 'latin1')];
const OLE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const ENCRYPTED_PACKAGE = Buffer.from('EncryptedPackage', 'utf16le');
/** Readers accept a PDF whose header comes a little late. */
const PDF_HEADER_WITHIN_BYTES = 1_024;

/** Looks at the first bytes, so that a wrongly named file is told so and no parser sees it. */
export function checkSignature(bytes: Uint8Array, mediaType: MediaType): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const isPdf = file.subarray(0, PDF_HEADER_WITHIN_BYTES).includes(PDF);
  const isZip = ZIP.some((magic) => file.subarray(0, magic.length).equals(magic));
  if (file.subarray(0, OLE.length).equals(OLE)) {
    // Word keeps a DOCX with a password inside an OLE file; a plain OLE file is the format of Word 97.
    if (file.includes(ENCRYPTED_PACKAGE))
      throw new ReadingError('encrypted', 'The document is protected by a password.');
    throw new ReadingError('unsupported', 'This is an old Office file (such as .doc); save it as .docx.');
  }
  if (mediaType === 'application/pdf') {
    if (!isPdf) throw new ReadingError('corrupt', 'The file is not a PDF, or its beginning is missing.');
  } else if (mediaType === DOCX) {
    if (!isZip) throw new ReadingError('corrupt', 'The file is not a DOCX, or its beginning is missing.');
  } else if (isZip) {
    throw new ReadingError('unsupported', 'The file is a ZIP or Office file, not text.');
  }
}
