/** Most uploads in one transaction. Twice as many make the first one wait longer; half take twice the transactions. */
const MAX_GROUP = 64;

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Runs work for items of the same key together: while a group is under way, the items that arrive form the next one. A lock
 * that all of them need is then taken and committed once for each group, not once for each item.
 */
export class Groups<Item, Result> {
  private readonly waiting = new Map<string, Waiting<Item, Result>[]>();

  /**
   * @param work returns a result for each item
   * @param isUndone whether nothing was done before an error of `work`: then the items are tried again one by one
   */
  constructor(
    private readonly work: (items: Item[]) => Promise<Result[]>,
    private readonly isUndone: (error: unknown) => boolean,
  ) {}

  run(key: string, item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const others = this.waiting.get(key);
      const own = { item, resolve, reject };
      if (others) others.push(own);
      else {
        this.waiting.set(key, [own]);
        void this.runAll(key);
      }
    });
  }

  private async runAll(key: string): Promise<void> {
    const waiting = this.waiting.get(key)!;
    while (waiting.length > 0) await this.runGroup(waiting.splice(0, MAX_GROUP));
    this.waiting.delete(key);
  }

  private async runGroup(group: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.work(group.map(({ item }) => item));
      group.forEach(({ resolve }, i) => resolve(results[i]!));
    } catch (error) {
      if (group.length > 1 && this.isUndone(error)) for (const one of group) await this.runGroup([one]);
      else for (const { reject } of group) reject(error);
    }
  }
}
