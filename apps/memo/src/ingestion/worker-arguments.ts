/** Command-line argument of a worker that leaves long documents and deletions to the others. */
export const SHORT_DOCUMENTS_ONLY = '--short-only';
