import { type Page } from 'playwright-core';

/** A link to one document, made to be opened without a credential for five minutes. */
const DOCUMENT_LINK = /^\/api\/billing\/(?:receipts|invoices)\/[^/]+\/file$/;
/** API keys, tokens of sessions, and tokens of mails. */
const SECRET = /bfvk-[0-9A-Za-z]{36}|eyJ[\w-]+\.eyJ[\w-]+|\b(rst|vrf)_[0-9A-Za-z]{43}/;

/**
 * Collects what must not happen in a tab: errors of scripts, violations of the content security policy, requests to hosts
 * outside of the site, and secrets in addresses and in the console of the browser.
 * @param origins of the site; by default the one that the tab shows
 */
export function collectFaults(tab: Page, origins?: string[]): string[] {
  const faults: string[] = [];
  tab.on('pageerror', ({ message }) => void faults.push(message));
  tab.on('console', (message) => {
    const text = message.text();
    if (message.type() === 'error' && /Content Security Policy|Refused to/.test(text)) faults.push(text);
    if (SECRET.test(text)) faults.push('a secret is in the console of the browser');
  });
  tab.on('request', (request) => {
    const url = new URL(request.url());
    const own = origins ?? [new URL(tab.url()).origin];
    const isFirst = tab.url() === 'about:blank';
    if (url.protocol.startsWith('http') && !isFirst && !own.includes(url.origin))
      faults.push(`asked ${url.origin}`);
    if (SECRET.test(request.url()) && !DOCUMENT_LINK.test(url.pathname))
      faults.push(`a secret is in ${url.pathname}`);
  });
  return faults;
}

/** What the browser keeps of a page that must not be there: secrets in its storage. */
export async function secretsInStorage(tab: Page): Promise<string[]> {
  const kept = await tab.evaluate<[string, string][]>(
    'Object.entries({ ...localStorage, ...sessionStorage })',
  );
  return kept.filter(([, value]) => SECRET.test(value)).map(([name]) => `a secret is in the storage ${name}`);
}
