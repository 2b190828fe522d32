import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rememberSecret, waitFor } from '@inference/testing';
import { type Locator, type Page } from 'playwright-core';

const TOKEN = /\b(?:rst|vrf)_[0-9A-Za-z]{43}\b/;

/**
 * The token in the mail of a kind, in the folder of the mails that a site has sent.
 * @param recipient a part of the mail; without it the first mail of the kind
 */
export const mailedToken = (folder: string, kind: string, recipient = ''): Promise<string> =>
  waitFor(() => {
    const mail = readdirSync(folder)
      .filter((name) => name.endsWith('.eml') && name.includes(`-${kind}-`))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .find((text) => text.includes(recipient));
    const token = mail && TOKEN.exec(mail)?.[0];
    if (token) rememberSecret(token);
    return token ?? null;
  });

/** The pages of visitors, found by role and accessible name in English. */
export class RecoveryPages {
  constructor(private readonly tab: Page) {}

  async askForMail(email: string): Promise<void> {
    await this.tab.getByRole('textbox', { name: /^E-mail address, phone/ }).fill(email);
    await this.tab.getByRole('button', { name: 'Send the mail' }).click();
    await this.tab.getByRole('status').getByText('Check your inbox').waitFor();
  }

  async setPassword(password: string): Promise<void> {
    await this.tab.getByLabel('New password').first().fill(password);
    await this.tab.getByRole('button', { name: 'Set the password' }).click();
  }

  async enterCode(code: string): Promise<void> {
    await this.tab.getByRole('textbox', { name: 'Code of the mail' }).fill(code);
  }

  confirm(): Promise<void> {
    return this.tab.getByRole('button', { name: 'Confirm the address' }).click();
  }
}

export class PackagesPage {
  constructor(private readonly tab: Page) {}

  rows(): Locator {
    return this.tab.getByRole('table', { name: 'Packages' }).getByRole('link');
  }

  search(words: string): Promise<void> {
    return this.tab.getByRole('searchbox', { name: 'Search' }).fill(words);
  }

  async sort(order: string): Promise<void> {
    await this.tab.getByRole('combobox', { name: 'Sort by' }).click();
    await this.tab.getByRole('option', { name: order }).click();
  }
}
