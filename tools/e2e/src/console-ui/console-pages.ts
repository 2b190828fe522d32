import { type Locator, type Page } from 'playwright-core';

/** The pages of the console in a browser, found by role and accessible name in English. */

export interface Person {
  email: string;
  password: string;
}

export class SignInPage {
  /** @param tab or the dialog in it that asks for a sign-in */
  constructor(private readonly tab: Pick<Page, 'getByRole' | 'getByLabel'>) {}

  async signIn({ email, password }: Person): Promise<void> {
    await this.tab.getByRole('textbox', { name: /^E-mail address, phone number/ }).fill(email);
    await this.tab.getByLabel('Password', { exact: false }).first().fill(password);
    await this.tab.getByRole('button', { name: 'Sign in', exact: true }).click();
  }

  error(): Locator {
    return this.tab.getByRole('alert');
  }
}

/** Signs in at a page of either language, and waits until the account is there. */
export async function signInInAnyLanguage(tab: Page, { email, password }: Person): Promise<void> {
  await tab.goto('/sign-in');
  await tab.locator('input[autocomplete=username]').fill(email);
  await tab.locator('input[autocomplete=current-password]').fill(password);
  await tab.locator('button[type=submit]').click();
  await tab.waitForURL((url) => !url.pathname.startsWith('/sign-in'));
}

export class RegisterPage {
  constructor(private readonly tab: Page) {}

  async register({ email, password }: Person): Promise<void> {
    await this.tab.getByRole('textbox', { name: 'E-mail address' }).fill(email);
    await this.tab.getByLabel('Password', { exact: false }).first().fill(password);
    await this.tab.getByRole('button', { name: 'Create the account' }).click();
  }
}

/** Opens the palette by the keyboard and goes to what it finds first. */
export async function findInPalette(tab: Page, text: string): Promise<void> {
  await tab.getByRole('heading', { level: 1 }).waitFor();
  await tab.keyboard.press('Control+K');
  await tab.getByRole('textbox', { name: 'Find anything' }).fill(text);
  await tab.getByRole('dialog').getByRole('button', { name: text }).first().waitFor();
  await tab.keyboard.press('ArrowDown');
  await tab.keyboard.press('Enter');
}

export class KeysPage {
  constructor(private readonly tab: Page) {}

  heading(): Locator {
    return this.tab.getByRole('heading', { name: 'API keys', level: 1 });
  }

  row(name: string): Locator {
    return this.tab.getByRole('table', { name: 'API keys' }).getByRole('row', { name });
  }

  /** Creates a key and returns its secret, which is still in sight. */
  async create(name: string, limit?: string): Promise<string> {
    await this.tab.getByRole('button', { name: 'Create a key' }).click();
    const dialog = this.tab.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
    if (limit !== undefined) await dialog.getByRole('textbox', { name: 'Limit' }).fill(limit);
    await dialog.getByRole('button', { name: 'Create the key' }).click();
    return (await dialog.getByLabel('Secret of the key').innerText()).trim();
  }

  /** Closes the dialog with the secret. */
  async confirmKept(): Promise<void> {
    await this.tab.getByRole('checkbox', { name: 'I have saved the secret' }).check();
    await this.tab.getByRole('button', { name: 'Close', exact: true }).click();
  }

  async delete(name: string): Promise<void> {
    await this.tab.getByRole('button', { name: `Delete the key ${name}` }).click();
    await this.tab.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  }
}
