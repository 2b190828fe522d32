import { type Locator, type Page } from 'playwright-core';

/** The pages on which admins keep prices, models and news, found by role and accessible name in English. */

export class PriceEditor {
  constructor(private readonly tab: Page) {}

  field(line: string): Locator {
    return this.tab.getByRole('textbox', { name: `New price of ${line}`, exact: true });
  }

  async change(line: string, price: string): Promise<void> {
    await this.field(line).fill(price);
  }

  /** Adds a price of a million input tokens under conditions. */
  async add(model: string, price: string, conditions: { tokens: string; hours: string }): Promise<void> {
    const form = this.tab.getByRole('form', { name: 'Add a price' });
    await form.getByRole('combobox', { name: 'Model' }).fill(model);
    await form.getByRole('textbox', { name: 'Price' }).fill(price);
    await form.getByRole('switch', { name: 'Only under conditions' }).check();
    await form.getByRole('textbox', { name: 'From input tokens' }).fill(conditions.tokens);
    await form.getByRole('textbox', { name: 'Daily hours' }).fill(conditions.hours);
    await form.getByRole('button', { name: 'Add' }).click();
  }

  /** The note about edits from before a reload. */
  restored(): Locator {
    return this.tab.getByRole('status').filter({ hasText: 'Your unpublished changes were restored' });
  }

  /** Opens the differences. */
  async review(): Promise<Locator> {
    await this.tab.getByRole('button', { name: 'Review the changes' }).click();
    return this.dialog();
  }

  dialog(): Locator {
    return this.tab.getByRole('dialog', { name: 'Publish these changes?' });
  }

  async publish(): Promise<void> {
    await this.dialog().getByRole('button', { name: 'Publish' }).click();
  }

  version(index: number): Locator {
    return this.tab.getByRole('article', { name: /^Version \d+$/ }).nth(index);
  }
}

export class ChangelogEditor {
  constructor(private readonly tab: Page) {}

  async write(title: string, body: string): Promise<void> {
    await this.tab.getByRole('button', { name: 'New entry' }).click();
    await this.dialog().getByRole('textbox', { name: 'Title' }).fill(title);
    await this.dialog().getByRole('textbox', { name: 'Text' }).fill(body);
  }

  preview(): Locator {
    return this.dialog().getByRole('region', { name: 'Preview' });
  }

  async publish(): Promise<void> {
    await this.dialog().getByRole('button', { name: 'Publish' }).click();
  }

  async delete(title: string): Promise<void> {
    await this.tab.getByRole('button', { name: `Delete “${title}”` }).click();
    await this.tab.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  }

  private dialog(): Locator {
    return this.tab.getByRole('dialog', { name: 'New entry' });
  }
}

/** A path, or a file that the page gets with its name. */
type PackageFile = string | { name: string; mimeType: string; buffer: Buffer };

export class PackagePages {
  constructor(private readonly tab: Page) {}

  async describe(slug: string, name: string): Promise<void> {
    await this.tab.getByRole('button', { name: 'Add a model' }).first().click();
    const dialog = this.tab.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Identifier' }).fill(slug);
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
    await dialog.getByRole('textbox', { name: 'Licence' }).fill('Apache-2.0');
    await dialog.getByRole('button', { name: 'Save' }).click();
  }

  async upload(version: string, file: PackageFile): Promise<void> {
    await this.tab.getByRole('button', { name: 'Upload a package' }).first().click();
    await this.tab.getByRole('dialog').getByRole('textbox', { name: 'Version' }).fill(version);
    await this.choose(file);
  }

  /** Opens the dialog for an upload that an earlier visit began. */
  goOn(name: string): Promise<void> {
    return this.tab.getByRole('button', { name: `Resume ${name}` }).click();
  }

  async choose(file: PackageFile): Promise<void> {
    const dialog = this.tab.getByRole('dialog');
    await dialog.locator('input[type=file]').setInputFiles(file);
    await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
  }

  progress(): Locator {
    return this.tab.getByRole('progressbar', { name: 'Sent' });
  }

  row(version: string): Locator {
    return this.tab.getByRole('table', { name: 'Packages' }).getByRole('row', { name: version });
  }

  async act(action: 'Publish' | 'Withdraw' | 'Delete', version: string): Promise<void> {
    await this.tab.getByRole('button', { name: `${action} ${version}` }).click();
    await this.tab.getByRole('dialog').getByRole('button', { name: action, exact: true }).click();
  }
}

export class RatesPage {
  constructor(private readonly tab: Page) {}

  async set(rate: string): Promise<Locator> {
    await this.tab.getByRole('button', { name: 'Set a rate' }).click();
    const dialog = this.tab.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'USD per CNY' }).fill(rate);
    await dialog.getByRole('button', { name: 'Review' }).click();
    return dialog;
  }

  current(): Locator {
    return this.tab.getByRole('region', { name: 'Today’s rate' });
  }
}
