interface Share<Item> {
  bytes: number;
  /** Bytes of each, the oldest first. */
  items: Map<Item, number>;
}

/** What is kept of all accounts within a number of bytes: the account that has most of them gives first, and of its own the oldest. */
export class KeptBytes<Item> {
  private readonly shares = new Map<string, Share<Item>>();
  private bytes = 0;

  constructor(private readonly mostBytes: number) {}

  /** Returns what is not kept any more, which may be the item itself. */
  add(accountId: string, item: Item, bytes: number): Item[] {
    const share = this.shares.get(accountId) ?? { bytes: 0, items: new Map<Item, number>() };
    this.shares.set(accountId, share);
    share.items.set(item, bytes);
    share.bytes += bytes;
    this.bytes += bytes;
    const gone: Item[] = [];
    while (this.bytes > this.mostBytes) {
      const [owner, { items }] = this.largest();
      const [oldest] = items.keys();
      this.remove(owner, oldest!);
      gone.push(oldest!);
    }
    return gone;
  }

  /** Does nothing for what is not kept. */
  remove(accountId: string, item: Item): void {
    const share = this.shares.get(accountId);
    const bytes = share?.items.get(item);
    if (!share || bytes === undefined) return;
    share.items.delete(item);
    share.bytes -= bytes;
    this.bytes -= bytes;
    if (share.items.size === 0) this.shares.delete(accountId);
  }

  private largest(): [string, Share<Item>] {
    let [largest] = this.shares;
    for (const each of this.shares) if (each[1].bytes > largest![1].bytes) largest = each;
    return largest!;
  }
}
