import { decimalToPicos } from '@inference/money';
import { parse } from 'lossless-json';

export interface CostItem {
  model?: string;
  user?: string;
  entrypoint?: string;
  costUsdPicos: bigint;
  tokens: bigint;
}

/** All pages of `GET /v1/router/cost`, with all digits of each number. */
export async function readRouterCost(
  routerCostUrl: string,
  headers: Record<string, string>,
  query: Record<string, string> = {},
): Promise<CostItem[]> {
  const items: CostItem[] = [];
  for (let cursor: string | null = null; ;) {
    const search = new URLSearchParams({ ...query, ...(cursor === null ? {} : { cursor }) });
    const response = await fetch(`${routerCostUrl}/v1/router/cost?${search.toString()}`, { headers });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`The cost report answered ${response.status}: ${text}`);
    const page = parse(text) as { items: Record<string, unknown>[]; next_cursor: string | null };
    for (const { cost_usd: cost, tokens, ...group } of page.items) {
      items.push({ ...group, costUsdPicos: decimalToPicos(String(cost)), tokens: BigInt(String(tokens)) });
    }
    cursor = page.next_cursor;
    if (cursor === null) return items;
  }
}
