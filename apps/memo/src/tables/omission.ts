/**
 * What the stored text of a document lacks although the file holds it.
 * `hidden_text`, `deleted_text`, `reading_aid` (the readings above East Asian words) and `front_matter` count characters; the others
 * count things. Texts of a mail in an unknown encoding are `unreadable_part`. Pages that hold no text are `unreadable_page` if they are
 * damaged and `page_without_text` otherwise.
 */
export const OMISSION_KINDS = [
  'hidden_text',
  'deleted_text',
  'reading_aid',
  'front_matter',
  'picture',
  'embedded_file',
  'missing_part',
  'unreadable_part',
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

/** More pages are counted, not named. */
const MAX_NAMED_PAGES = 20;

/** Collects what a reader leaves out. */
export class Omissions {
  /** The page that is being read, from 1; 0 in documents without pages. */
  page = 0;
  private readonly found = new Map<OmissionKind, Omission>();

  add(kind: OmissionKind, count = 1): void {
    if (count === 0) return;
    const omission = this.found.get(kind) ?? { kind, count: 0, pages: [] };
    omission.count += count;
    if (this.page > 0 && omission.pages.at(-1) !== this.page && omission.pages.length < MAX_NAMED_PAGES)
      omission.pages.push(this.page);
    this.found.set(kind, omission);
  }

  list(): Omission[] {
    return OMISSION_KINDS.flatMap((kind) => this.found.get(kind) ?? []);
  }
}
