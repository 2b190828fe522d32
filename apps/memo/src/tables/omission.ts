/**
 * What the stored text of a document lacks although the file holds it.
 * `hidden_text`, `deleted_text`, `reading_aid` (the readings above East Asian words) and `front_matter` count characters; the others
 * count things. Pages that hold no text are `unreadable_page` if they are damaged and `page_without_text` otherwise.
 */
export const OMISSION_KINDS = [
  'hidden_text',
  'deleted_text',
  'reading_aid',
  'front_matter',
  'picture',
  'embedded_file',
  'missing_part',
  'hidden_field',
  'note',
  'repeated_text',
  'unreadable_page',
  'page_without_text',
] as const;
export type OmissionKind = (typeof OMISSION_KINDS)[number];

export interface Omission {
  kind: OmissionKind;
  count: number;
  /** The first pages on which it was found, of a document with pages. */
  pages: number[];
}
