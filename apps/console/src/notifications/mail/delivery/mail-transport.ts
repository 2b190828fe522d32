import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { randomBase62 } from '@inference/database';
import { createTransport } from 'nodemailer';
import { type SiteConfig } from '../../../site.config';
import { type MailConfig } from '../../notifications.config';
import { toOneLine } from '../templates/message';
import { type ComposedMail } from './mail-composer';

/** Resolves when the mail server or the folder has taken the mail over. */
export type DeliverMail = (mail: ComposedMail) => Promise<void>;

const CONNECTION_TIMEOUT_MILLIS = 10_000;
const GREETING_TIMEOUT_MILLIS = 10_000;
const SOCKET_TIMEOUT_MILLIS = 20_000;
/** Limit of one whole delivery, for servers that answer slowly but within the other limits. */
export const DELIVERY_LIMIT_MILLIS = 60_000;
const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);
const NAMED_ADDRESS = /^(.*?)\s*<([^<>]+)>$/;

/** Returns null if neither a mail server nor a folder is configured. */
export function createMailDelivery(config: MailConfig, site: SiteConfig): DeliverMail | null {
  const { smtpUrl, folder, from } = config;
  const headersOf = headersFor(site, senderOf(from, site));
  if (smtpUrl !== undefined) return deliverBySmtp(smtpUrl, headersOf);
  if (folder !== undefined) return deliverToFolder(folder, headersOf);
  return null;
}

/**
 * smtps:// encrypts from the first byte; smtp:// uses STARTTLS if the server offers it. A password is sent without
 * encryption only to a server on this machine.
 */
function deliverBySmtp(url: string, headersOf: HeadersOf): DeliverMail {
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
      ...headersOf(mail),
      text,
      html,
      signal: AbortSignal.timeout(DELIVERY_LIMIT_MILLIS),
    });
  };
}

/** Writes each mail to its own file, atomically and without transfer encoding, so that people can read it. */
function deliverToFolder(folder: string, headersOf: HeadersOf): DeliverMail {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  return async (mail) => {
    const { message } = await transport.sendMail({
      ...headersOf(mail),
      alternatives: [
        { contentType: 'text/plain', raw: unencodedPart('text/plain', mail.text) },
        { contentType: 'text/html', raw: unencodedPart('text/html', mail.html) },
      ],
    });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeWhole(folder, fileNameOf(mail), message as Buffer);
  };
}

type HeadersOf = ReturnType<typeof headersFor>;

/** The headers and the attachments of a mail, as nodemailer expects them. */
const headersFor =
  (site: SiteConfig, from: Sender) =>
  ({ id, to, subject, attachments = [], unsubscribeUrl }: ComposedMail) => ({
    from,
    to: { name: '', address: to },
    subject,
    messageId: `<${id}@${new URL(site.consoleUrl).hostname}>`,
    headers: {
      'Auto-Submitted': 'auto-generated',
      ...(unsubscribeUrl !== undefined && {
        'List-Unsubscribe': `<${unsubscribeUrl}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
    attachments: attachments.map(({ fileName, contentType, content }) => ({
      filename: fileName,
      contentType,
      content,
    })),
  });

interface Sender {
  name: string;
  address: string;
}

function senderOf(from: string | undefined, site: SiteConfig): Sender {
  if (from === undefined) {
    return { name: toOneLine(site.name), address: `no-reply@${new URL(site.consoleUrl).hostname}` };
  }
  const [, name = '', address = from] = NAMED_ADDRESS.exec(from.trim()) ?? [];
  return { name: toOneLine(name.replace(/^"(.*)"$/, '$1')), address: toOneLine(address) };
}

/** 8bit encoding has no soft line breaks: characters stay legible and links stay whole. */
const unencodedPart = (type: string, content: string) =>
  `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${content}`;

/** Starts with the time of the request, so that files sort by it; a repeated delivery replaces the file. */
function fileNameOf({ id, kind, createdAt }: ComposedMail): string {
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
