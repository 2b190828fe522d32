import { OMISSION_KINDS, type Omission, type OmissionKind } from '../../tables/omission';

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
