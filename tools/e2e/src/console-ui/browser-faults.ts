import { type Page } from 'playwright-core';

/** A link to one document, made to be opened without a credential for five minutes. */
const DOCUMENT_LINK = /^\/api\/billing\/(?:receipts|invoices)\/[^/]+\/file$/;

/**
 * Collects what must not happen in a tab: errors of scripts, violations of the content security policy, requests to hosts
 * outside of the site, and secrets in addresses.
 * @param origins of the site
 */
export function collectFaults(tab: Page, origins: string[]): string[] {
  const faults: string[] = [];
  tab.on('pageerror', ({ message }) => void faults.push(message));
  tab.on('console', (message) => {
    if (message.type() === 'error' && /Content Security Policy|Refused to/.test(message.text()))
      faults.push(message.text());
  });
  tab.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith('http') && !origins.includes(url.origin)) faults.push(`asked ${url.origin}`);
    if (/bfvk-|eyJ/.test(request.url()) && !DOCUMENT_LINK.test(url.pathname))
      faults.push(`a secret is in ${url.pathname}`);
  });
  return faults;
}
