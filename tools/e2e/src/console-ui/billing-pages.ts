import { type Locator, type Page } from 'playwright-core';

/** The pages of usage, payments and the balance in a browser, found by role and accessible name in English. */

/** Opens an area through the navigation. */
export const openArea = (tab: Page, name: string): Promise<void> =>
  tab.getByRole('navigation').getByRole('link', { name, exact: true }).click();

/**
 * The lines of a text with an amount in a currency of this symbol. Reports of all accounts are in USD at every site: an amount that names
 * its currency is none of them.
 */
export const linesWithAmounts = (text: string, symbol: '$' | '¥'): string[] =>
  text.split('\n').filter((line) => new RegExp(`\\${symbol} ?\\d[\\d.,]*(?![\\d.,]| (USD|CNY))`).test(line));

export class UsagePage {
  constructor(private readonly tab: Page) {}

  /** Chooses an option of a field of the filters. */
  async choose(field: string, option: string): Promise<void> {
    await this.tab.getByRole('combobox', { name: field }).click();
    await this.tab.getByRole('option', { name: option, exact: true }).click();
  }

  table(name: 'Sums' | 'Details'): Locator {
    return this.tab.getByRole('table', { name });
  }

  /** The exact amount of each row, the total at the end. */
  async costs(name: 'Sums' | 'Details'): Promise<(string | null | undefined)[]> {
    await this.table(name).locator('tbody data').first().waitFor();
    return this.table(name)
      .locator('tr:has(data)')
      .evaluateAll((rows) =>
        rows.map((row) => [...row.querySelectorAll('data')].at(-1)?.getAttribute('value')),
      );
  }

  async csv(): Promise<string> {
    const arriving = this.tab.waitForEvent('download');
    await this.tab.getByRole('button', { name: 'Download CSV' }).click();
    const chunks: Buffer[] = [];
    for await (const chunk of await (await arriving).createReadStream()) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  }
}
