/** What the first bytes of a file tell about its format. */
export type Container = 'pdf' | 'zip' | 'ole' | 'text';

interface Format {
  container: Container;
  /** The file names that belong to the format, without the dot. */
  extensions: string[];
  /** Further types under which senders declare the format. */
  aliases?: string[];
}

const OOXML = 'application/vnd.openxmlformats-officedocument';
export const DOCX = `${OOXML}.wordprocessingml.document` as const;
export const XLSX = `${OOXML}.spreadsheetml.sheet` as const;
export const PPTX = `${OOXML}.presentationml.presentation` as const;
export const ODT = 'application/vnd.oasis.opendocument.text';
export const EPUB = 'application/epub+zip';
export const MSG = 'application/vnd.ms-outlook';

/** Texts that are read as they are: notes, records by line, and source code. */
const VERBATIM =
  'txt text log json jsonl ndjson ipynb yaml yml toml ini cfg conf properties env xml rst adoc org tex bib ics vcf srt vtt diff patch ' +
  'c h cc cpp cxx hpp cs java kt kts scala groovy gradle go rs rb py pyi php pl pm lua r jl m mm swift dart ex exs erl hs clj ' +
  'ml fs vb f90 asm s sh bash zsh fish ps1 bat sql graphql gql proto js mjs cjs jsx ts mts cts tsx vue svelte css scss sass less tf cmake ' +
  'hh cu f for pas d nim zig v vhd sol hcl tfvars cmd awk tcl lisp el scm rkt fsx mli elm pyx ipy gd glsl po pot json5 geojson xsd xsl ' +
  'xslt wsdl plist csproj sln lock mk dockerfile editorconfig gitignore nfo sbv rss atom opml';
/** Files without an extension that are texts. */
const NAMED =
  /^(?:Makefile|Dockerfile|Containerfile|Jenkinsfile|Vagrantfile|Procfile|Gemfile|Rakefile|Brewfile|Justfile|README|LICENSE|NOTICE|AUTHORS|CHANGELOG|CONTRIBUTING|COPYING|INSTALL)$/i;

export type MediaType =
  | 'text/plain'
  | 'text/markdown'
  | 'text/html'
  | 'application/pdf'
  | typeof DOCX
  | typeof XLSX
  | typeof PPTX
  | typeof ODT
  | typeof EPUB
  | 'text/csv'
  | 'application/rtf'
  | 'message/rfc822'
  | typeof MSG;

const FORMATS: Record<MediaType, Format> = {
  'text/plain': {
    container: 'text',
    extensions: VERBATIM.split(' '),
    aliases: [
      'application/json',
      'application/jsonl',
      'application/x-ndjson',
      'application/yaml',
      'application/xml',
      'text/xml',
    ],
  },
  'text/markdown': {
    container: 'text',
    extensions: ['md', 'markdown', 'mdx', 'mdown', 'mkd', 'qmd', 'rmd'],
    aliases: ['text/x-markdown'],
  },
  'text/html': {
    container: 'text',
    extensions: ['html', 'htm', 'xhtml'],
    aliases: ['application/xhtml+xml'],
  },
  'application/pdf': { container: 'pdf', extensions: ['pdf'] },
  [DOCX]: { container: 'zip', extensions: ['docx', 'docm'] },
  [XLSX]: { container: 'zip', extensions: ['xlsx', 'xlsm'] },
  [PPTX]: { container: 'zip', extensions: ['pptx', 'ppsx', 'pptm'] },
  [ODT]: { container: 'zip', extensions: ['odt'] },
  [EPUB]: { container: 'zip', extensions: ['epub'] },
  'text/csv': { container: 'text', extensions: ['csv', 'tsv'], aliases: ['text/tab-separated-values'] },
  'application/rtf': { container: 'text', extensions: ['rtf'], aliases: ['text/rtf'] },
  'message/rfc822': {
    container: 'text',
    extensions: ['eml', 'mht', 'mhtml'],
    aliases: ['multipart/related'],
  },
  [MSG]: { container: 'ole', extensions: ['msg'] },
};

/** The formats whose text can be extracted. */
export const MEDIA_TYPES = Object.keys(FORMATS) as MediaType[];

export const containerOf = (mediaType: MediaType): Container => FORMATS[mediaType].container;

/** The file names that belong to a format, without the dot. */
export const extensionsOf = (mediaType: MediaType): string[] => FORMATS[mediaType].extensions;

/** What people call a format, such as DOCX. */
export const nameOf = (mediaType: MediaType): string => FORMATS[mediaType].extensions[0]!.toUpperCase();

/** Whether the file of a version is stored as long as the version is: the pages of a PDF are shown beside its passages. */
export const isFileKept = (mediaType: MediaType): boolean => mediaType === 'application/pdf';

/**
 * How many leading bytes of a file are enough to detect its format: a PDF header may start anywhere in the first
 * 1,024 bytes.
 */
export const SIGNATURE_BYTES = 1_024;

const BY_EXTENSION = new Map<string, MediaType>(
  MEDIA_TYPES.flatMap((type) => extensionsOf(type).map((name): [string, MediaType] => [name, type])),
);
const BY_TYPE = new Map<string, MediaType>(
  MEDIA_TYPES.flatMap((type) =>
    [type, ...(FORMATS[type].aliases ?? [])].map((name): [string, MediaType] => [name, type]),
  ),
);
const PDF = Buffer.from('%PDF-');
/** Signatures of a ZIP archive and of an empty one. */
const ZIP = [Buffer.from('PK\x03\x04', 'latin1'), Buffer.from('PK\x05\x06', 'latin1')];
/** Signature of the container that Office uses for encrypted documents, Outlook for mails. */
const OLE = Buffer.from('d0cf11e0a1b11ae1', 'hex');

/** The container that the first bytes of a file show. A PDF reader skips what stands before the header. */
export function shownContainer(file: Buffer): Container {
  if (ZIP.some((magic) => file.subarray(0, magic.length).equals(magic))) return 'zip';
  if (file.subarray(0, OLE.length).equals(OLE)) return 'ole';
  return file.subarray(0, SIGNATURE_BYTES).includes(PDF) ? 'pdf' : 'text';
}

/**
 * Detects the format by the first bytes, then by the file name, then by the declared type. Null if the text of the
 * file cannot be extracted.
 */
export function detectMediaType(
  head: Buffer,
  fileName: string,
  declared: string | undefined,
): MediaType | null {
  const [, extension = ''] = /\.([A-Za-z][A-Za-z0-9]*)$/.exec(fileName) ?? [];
  const named = BY_EXTENSION.get(extension.toLowerCase());
  const container = shownContainer(head);
  // A file with the extension of a text format may only mention the header.
  if (container === 'pdf' && (named === undefined || head.subarray(0, PDF.length).equals(PDF)))
    return 'application/pdf';
  const byType = BY_TYPE.get(declared?.split(';', 1)[0]!.trim().toLowerCase() ?? '');
  const mediaType = named ?? byType ?? textOtherwise(fileName, declared);
  // A file with the extension of a binary format and other contents is accepted here; extraction fails with the reason.
  if (container !== 'zip' && container !== 'ole') return mediaType;
  return mediaType !== null && containerOf(mediaType) !== 'text' ? mediaType : null;
}

/** A text whose kind is not known is plain text (RFC 2046, 4.1.4). */
const textOtherwise = (fileName: string, declared = ''): MediaType | null =>
  NAMED.test(fileName) || /^\s*text\//i.test(declared) ? 'text/plain' : null;
