/**
 * Reports how much of a document is extracted. It is called after the text of the counted part.
 * The unit is pages for PDF, slides for PPTX, chapters for EPUB, unpacked bytes for other archives, and bytes for other formats.
 */
export type OnProgress = (processed: number, total: number) => void;
