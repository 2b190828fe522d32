const ID = /^([a-z]{2,6})_[0-9A-Za-z]{22}$/;
const IDS_IN_TEXT = /(?<=["/])([a-z]{2,6})_[0-9A-Za-z]+/g;
const MAX_IDS_OF_A_KIND = 50;

/** The newest ids that the platform has given out, by their prefix. */
export class KnownIds {
  private readonly byPrefix = new Map<string, string[]>();

  /** Remembers the ids in a JSON body. */
  learn(value: unknown): void {
    if (Array.isArray(value)) value.forEach((entry) => this.learn(entry));
    else if (value !== null && typeof value === 'object')
      Object.values(value).forEach((entry) => this.learn(entry));
    else if (typeof value === 'string') {
      const prefix = ID.exec(value)?.[1];
      if (prefix === undefined) return;
      const known = this.byPrefix.get(prefix) ?? [];
      if (!known.includes(value)) this.byPrefix.set(prefix, [...known, value].slice(-MAX_IDS_OF_A_KIND));
    }
  }

  /** The text with ids that exist in place of all ids of the same kind, except the ids that `isExcluded` names. */
  replaceIn(text: string, choice: number, isExcluded: (id: string) => boolean): string {
    return text.replace(IDS_IN_TEXT, (id, prefix: string) => {
      const known = (this.byPrefix.get(prefix) ?? []).filter((candidate) => !isExcluded(candidate));
      return known[choice % known.length] ?? id;
    });
  }
}
