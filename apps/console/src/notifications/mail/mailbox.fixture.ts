import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rememberSecret, waitFor } from '@inference/testing';

const TOKEN = /\b(?:rst|vrf)_[0-9A-Za-z]{43}\b/;

/** A folder to which a console writes its mails. */
export class Mailbox {
  readonly folder = mkdtempSync(join(tmpdir(), 'mailbox-'));
  private readonly seen = new Set<string>();

  /** Environment that makes a console write its mails here. */
  get environment(): Record<string, string> {
    return { MAIL_FOLDER: this.folder };
  }

  /** Resolves with the text of the next mail of this kind to an address. */
  next(kind: string, to: string): Promise<string> {
    return waitFor(() => {
      for (const name of this.filesOf(kind)) {
        const mail = readFileSync(join(this.folder, name), 'utf8');
        if (!mail.includes(`To: ${to}\n`)) continue;
        this.seen.add(name);
        return mail;
      }
      return null;
    });
  }

  async nextToken(kind: 'verify_email' | 'reset_password', to: string): Promise<string> {
    const [token = ''] = TOKEN.exec(await this.next(kind, to)) ?? [];
    rememberSecret(token);
    return token;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }

  private filesOf(kind: string): string[] {
    return readdirSync(this.folder)
      .filter((name) => name.endsWith('.eml') && name.includes(`-${kind}-`) && !this.seen.has(name))
      .sort();
  }
}
