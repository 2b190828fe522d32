import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { randomBase62 } from '@inference/database';
import { createTransport } from 'nodemailer';
import { type ConsoleConfig } from '../config';
import { toOneLine } from './letter';
import { type WrittenMail } from './mail-writer';

/** Resolves when somebody else has the mail for good. */
export type DeliverMail = (mail: WrittenMail) => Promise<void>;

const CONNECTION_TIMEOUT_MILLIS = 10_000;
const GREETING_TIMEOUT_MILLIS = 10_000;
const SOCKET_TIMEOUT_MILLIS = 20_000;
/** For one mail in all, however slowly the server goes on. */
export const DELIVERY_LIMIT_MILLIS = 60_000;
const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);
const NAMED_ADDRESS = /^(.*?)\s*<([^<>]+)>$/;

/** By SMTP_URL or into MAIL_FOLDER; null with neither. */
export function createMailDelivery(config: ConsoleConfig): DeliverMail | null {
  if (config.SMTP_URL !== undefined) return deliverBySmtp(config, config.SMTP_URL);
  if (config.MAIL_FOLDER !== undefined) return deliverToFolder(config, config.MAIL_FOLDER);
  return null;
}

/**
 * Encrypts from the first byte with smtps://, else as the server offers (STARTTLS); a password goes to no server that
 * offers none, unless it is on this machine.
 */
function deliverBySmtp(config: ConsoleConfig, url: string): DeliverMail {
  const { username, hostname } = new URL(url);
  const transport = createTransport({
    url,
    requireTLS: username !== '' && !LOOPBACK_HOSTS.has(hostname),
    connectionTimeout: CONNECTION_TIMEOUT_MILLIS,
    greetingTimeout: GREETING_TIMEOUT_MILLIS,
    dnsTimeout: CONNECTION_TIMEOUT_MILLIS,
    socketTimeout: SOCKET_TIMEOUT_MILLIS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return async (mail) => {
    const { text, html } = mail;
    await transport.sendMail({
      ...envelopeOf(config, mail),
      text,
      html,
      signal: AbortSignal.timeout(DELIVERY_LIMIT_MILLIS),
    });
  };
}

/** A file for each mail, there completely or not at all, which a person can read as it is. */
function deliverToFolder(config: ConsoleConfig, folder: string): DeliverMail {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  return async (mail) => {
    const { message } = await transport.sendMail({
      ...envelopeOf(config, mail),
      alternatives: [
        { contentType: 'text/plain', raw: unencodedPart('text/plain', mail.text) },
        { contentType: 'text/html', raw: unencodedPart('text/html', mail.html) },
      ],
    });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeWhole(folder, fileNameOf(mail), message as Buffer);
  };
}

function envelopeOf(config: ConsoleConfig, { id, to, subject, attachments = [] }: WrittenMail) {
  return {
    from: senderOf(config),
    to: { name: '', address: to },
    subject,
    messageId: `<${id}@${new URL(config.CONSOLE_URL).hostname}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    attachments: attachments.map(({ fileName, contentType, content }) => ({
      filename: fileName,
      contentType,
      content,
    })),
  };
}

function senderOf({ MAIL_FROM, SITE_NAME, CONSOLE_URL }: ConsoleConfig): { name: string; address: string } {
  if (MAIL_FROM === undefined) {
    return { name: toOneLine(SITE_NAME), address: `no-reply@${new URL(CONSOLE_URL).hostname}` };
  }
  const [, name = '', address = MAIL_FROM] = NAMED_ADDRESS.exec(MAIL_FROM.trim()) ?? [];
  return { name: toOneLine(name.replace(/^"(.*)"$/, '$1')), address: toOneLine(address) };
}

/** Eight bits and no soft line breaks: characters are legible and links are whole. */
const unencodedPart = (type: string, content: string) =>
  `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${content}`;

/** By the time the mail was ordered, so that files sort by it and one that is written again takes its own place. */
function fileNameOf({ id, kind, createdAt }: WrittenMail): string {
  const time = createdAt.toISOString().slice(0, 19).replace(/[-:]/g, '');
  return `${time}Z-${kind}-${id}.eml`;
}

async function writeWhole(folder: string, name: string, content: Buffer): Promise<void> {
  const unfinished = join(folder, `.${name}.${randomBase62(8)}`);
  try {
    const file = await open(unfinished, 'wx', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, join(folder, name));
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
