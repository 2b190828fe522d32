import { type Download, type Locator, type Page } from 'playwright-core';
import { Secret, TOTP } from 'otpauth';

/** The settings of an account in a browser, found by role and accessible name in English. */

const STEP_MILLIS = 30_000;

/** An authenticator app. The service accepts the next code too, and every code once. */
export class Authenticator {
  private readonly totp: TOTP;

  constructor(secret: string) {
    this.totp = new TOTP({ secret: Secret.fromBase32(secret) });
  }

  code(stepsAway = 0): string {
    return this.totp.generate({ timestamp: Date.now() + stepsAway * STEP_MILLIS });
  }

  wrongCode(): string {
    const shown = new Set([-2, -1, 0, 1, 2].map((steps) => this.code(steps)));
    return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !shown.has(code))!;
  }
}

export async function textOf(download: Download): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('latin1');
}

export class SecurityPage {
  constructor(private readonly tab: Page) {}

  get dialog(): Locator {
    return this.tab.getByRole('dialog');
  }

  /** Begins the setup and returns the app that has scanned its code. */
  async beginSetup(): Promise<Authenticator> {
    await this.tab.getByRole('button', { name: 'Turn on the second factor' }).click();
    await this.dialog.getByRole('img', { name: 'QR code for an authenticator app' }).waitFor();
    const secret = await this.dialog.getByLabel('Secret of the authenticator').innerText();
    return new Authenticator(secret.trim());
  }

  async enterSetupCode(code: string): Promise<void> {
    await this.dialog.getByRole('textbox', { name: 'Code' }).fill(code);
    await this.dialog.getByRole('button', { name: 'Turn on' }).click();
  }

  /** The codes in sight, and the file with them. */
  async keepRecoveryCodes(): Promise<{ codes: string[]; file: string }> {
    const list = this.dialog.getByRole('list', { name: 'Recovery codes' });
    await list.waitFor();
    const codes = await list.getByRole('listitem').allInnerTexts();
    const arriving = this.tab.waitForEvent('download');
    await this.dialog.getByRole('button', { name: 'Download the codes' }).click();
    const file = await textOf(await arriving);
    await this.dialog.getByRole('checkbox', { name: 'I have saved the codes' }).check();
    await this.dialog.getByRole('button', { name: 'Close' }).click();
    return { codes, file };
  }

  async disable(password: string, code: string): Promise<void> {
    await this.tab.getByRole('button', { name: 'Turn it off' }).click();
    await this.dialog.getByLabel('Your password').fill(password);
    await this.dialog.getByRole('textbox', { name: 'Code' }).fill(code);
    await this.dialog.getByRole('button', { name: 'Confirm' }).click();
  }
}

export async function signOut(tab: Page): Promise<void> {
  await tab.getByRole('button', { name: 'Account', exact: true }).click();
  await tab.getByRole('menuitem', { name: 'Sign out' }).click();
}
