import { type Locator, type Page } from 'playwright-core';

/** The pages of a workspace in a browser, found by role and accessible name in English. */
export class WorkspacePage {
  constructor(private readonly tab: Page) {}

  /** Creates a workspace from the list. */
  async create(name: string): Promise<void> {
    await this.tab.getByRole('button', { name: 'Create a workspace' }).click();
    const dialog = this.tab.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
    await dialog.getByRole('button', { name: 'Create the workspace' }).click();
    await this.heading(name).waitFor();
  }

  heading(name: string): Locator {
    return this.tab.getByRole('heading', { name, level: 1 });
  }

  async open(part: 'Documents' | 'Ask' | 'Members' | 'Keys' | 'Feedback'): Promise<void> {
    await this.tab.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: part }).click();
  }

  async upload(files: { name: string; text: string }[]): Promise<void> {
    await this.tab
      .locator('input[type=file]')
      .first()
      .setInputFiles(
        files.map(({ name, text }) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })),
      );
  }

  row(table: 'Documents' | 'Keys' | 'Members' | 'Pending invitations' | 'Feedback', name: string): Locator {
    return this.tab.getByRole('table', { name: table }).getByRole('row', { name });
  }

  question(): Locator {
    return this.tab.getByRole('textbox', { name: 'Your question' });
  }

  async ask(question: string): Promise<void> {
    await this.question().fill(question);
    await this.tab.getByRole('button', { name: 'Ask', exact: true }).click();
  }

  /** Confirms the dialog that is open. */
  async confirmDelete(): Promise<void> {
    await this.tab.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  }
}
