import { type Locator, type Page, type Request } from 'playwright-core';

/** What tests read of the playground. */

/** The exact value of a shown amount. */
export async function picosOf(amount: Locator): Promise<bigint> {
  const [whole, decimals = ''] = (await amount.getAttribute('value'))!.split('.');
  return BigInt(whole! + decimals.padEnd(12, '0'));
}

export interface SentBody {
  model: string;
  messages: { role: string; content: unknown; tool_calls?: { function: object }[] }[];
  [name: string]: unknown;
}

/** The bodies of the calls of models that the page makes while `act` runs, by their models. */
export async function bodiesDuring(tab: Page, act: () => Promise<void>): Promise<SentBody[]> {
  const bodies: SentBody[] = [];
  const note = (request: Request) => {
    if (request.method() === 'POST' && request.url().endsWith('/api/playground/chat/completions'))
      bodies.push(request.postDataJSON() as SentBody);
  };
  tab.on('request', note);
  await act();
  tab.off('request', note);
  return bodies.sort((one, other) => one.model.localeCompare(other.model));
}
