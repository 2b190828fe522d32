import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ParsedMail, simpleParser } from 'mailparser';
import { type SMTPServerOptions } from 'smtp-server';
import { readConsoleConfig } from '../../../config';
import { testEnvironment } from '../../../testing/console.fixture';
import { renderMessage } from '../templates/message';
import { TestMailServer } from '../mail.fixture';
import { createMailDelivery, type DeliverMail } from './mail-transport';
import { type ComposedMail } from './mail-composer';

const TOKEN = `rst_${'Ab3'.repeat(14)}x`;
const LINK = `https://a-rather-long-name-of-a-host.console.example.com/some/path/reset-password?token=${TOKEN}`;

const mail = (language: 'en' | 'zh-CN' = 'en', siteName = 'Example'): ComposedMail => ({
  id: 'mail_1',
  kind: 'reset_password',
  createdAt: new Date('2026-11-21T15:05:01.250Z'),
  to: 'ann@example.com',
  ...renderMessage('reset_password', language, {
    siteName,
    link: LINK,
    token: TOKEN,
    validHours: 1,
    isFirstVerification: false,
  }),
});

const INVOICE = {
  fileName: '发票 INV-2026-000042 (Söhne & Co).pdf',
  contentType: 'application/pdf',
  content: Buffer.from(Array.from({ length: 5_000 }, (_, n) => n % 256)),
};

const withInvoice = (changes: Partial<typeof INVOICE> = {}): ComposedMail => ({
  ...mail('zh-CN'),
  attachments: [{ ...INVOICE, ...changes }],
});

/** Expects an unchanged message with one attachment. */
function expectInvoice(received: ParsedMail, sent: ComposedMail): void {
  expect([received.subject, received.text, received.html]).toEqual([sent.subject, sent.text, sent.html]);
  expect(received.attachments).toHaveLength(1);
  const { filename, contentType, contentDisposition, content } = received.attachments[0]!;
  expect({ filename, contentType, contentDisposition }).toEqual({
    filename: INVOICE.fileName,
    contentType: 'application/pdf',
    contentDisposition: 'attachment',
  });
  expect(content.equals(INVOICE.content)).toBe(true);
}

function delivery(environment: Record<string, string>): DeliverMail {
  const config = readConsoleConfig({ ...testEnvironment('postgres://localhost/none'), ...environment });
  const deliver = createMailDelivery(config.mail, config.site);
  if (!deliver) throw new Error('There is neither a server nor a folder.');
  return deliver;
}

describe('mails by SMTP', () => {
  let server: TestMailServer;
  const from = { MAIL_FROM: 'Example <no-reply@example.com>' };
  afterEach(() => server.close());

  const withAuth: SMTPServerOptions = {
    authOptional: false,
    logger: false,
    onAuth: ({ username, password }, _session, callback) =>
      username === 'us er@x' && password === 'p@ss:wörd/%'
        ? callback(null, { user: username })
        : callback(new Error(`bad credentials ${password}`)),
  };
  const credentials = (password: string) => `us%20er%40x:${encodeURIComponent(password)}@`;

  it('have the same contents in both parts, in English and Chinese', async () => {
    server = await TestMailServer.start();
    const deliver = delivery({ ...from, SMTP_URL: server.url });
    for (const language of ['en', 'zh-CN'] as const) {
      const sent = mail(language);
      await deliver(sent);
      const received = server.mails.at(-1)!;
      expect(received.subject).toBe(sent.subject);
      expect(received.text).toBe(sent.text);
      expect(received.html).toBe(sent.html);
      expect(received.messageId).toBe('<mail_1@console.test>');
      expect(received.headers.get('auto-submitted')).toBe('auto-generated');
      expect(received.recipients).toEqual(['ann@example.com']);
      expect(received.raw).toMatch(/^[\t\r\n\x20-\x7e]*$/);
      for (const line of received.raw.split('\r\n')) expect(line.length).toBeLessThanOrEqual(78);
    }
  });

  it('reach international addresses: the domain in ASCII, other letters before the @ by SMTPUTF8', async () => {
    server = await TestMailServer.start();
    const deliver = delivery({ ...from, SMTP_URL: server.url });
    for (const [to, inAscii] of [
      ['ann@müller.example', 'ann@xn--mller-kva.example'],
      ['用户@例子.example', '用户@例子.example'],
      ["o'neil+{x}/y@example.com", "o'neil+{x}/y@example.com"],
    ] as const) {
      await deliver({ ...mail(), to });
      const { raw, recipients } = server.mails.at(-1)!;
      expect(recipients).toEqual([to]);
      expect(raw).toContain(`\nTo: ${inAscii}\r\n`);
    }
  });

  it('carry an attachment unchanged, under its name', async () => {
    server = await TestMailServer.start();
    const sent = withInvoice();
    await delivery({ ...from, SMTP_URL: server.url })(sent);
    expectInvoice(server.mails[0]!, sent);
    expect(server.mails[0]!.raw).toMatch(/^[\t\r\n\x20-\x7e]*$/);
  });

  it('authenticate with the credentials of the URL', async () => {
    server = await TestMailServer.start({ ...withAuth, allowInsecureAuth: true });
    const url = (password: string) => server.url.replace('//', `//${credentials(password)}`);
    await delivery({ ...from, SMTP_URL: url('p@ss:wörd/%') })(mail());
    expect(server.mails.map(({ user, encrypted }) => [user, encrypted])).toEqual([['us er@x', false]]);
    await expect(delivery({ ...from, SMTP_URL: url('wrong') })(mail())).rejects.toMatchObject({
      code: 'EAUTH',
    });
    expect(server.mails).toHaveLength(1);
  });

  it.each<[string, SMTPServerOptions]>([
    ['smtp', { disabledCommands: [] }],
    ['smtps', { secure: true }],
  ])(
    'are encrypted if the server supports it (%s), and only with a valid certificate',
    async (scheme, options) => {
      server = await TestMailServer.start({ ...withAuth, ...options });
      const url = `${scheme}://${credentials('p@ss:wörd/%')}127.0.0.1:${server.port}`;
      await expect(delivery({ ...from, SMTP_URL: url })(mail())).rejects.toMatchObject({
        code: expect.stringMatching(/^E(SOCKET|TLS)$/),
      });
      await delivery({ ...from, SMTP_URL: `${url}?tls.rejectUnauthorized=false` })(mail());
      expect(server.mails.map(({ user, encrypted }) => [user, encrypted])).toEqual([['us er@x', true]]);
    },
  );
});

describe('mails to a folder', () => {
  let parent: string;
  let folder: string;
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'mail-test-'));
    folder = join(parent, 'made', 'here');
  });
  afterEach(() => rm(parent, { recursive: true }));

  const NAME = '20261121T150501Z-reset_password-mail_1.eml';
  const read = (name = NAME) => readFile(join(folder, name), 'utf8');

  it.each(['en', 'zh-CN'] as const)('are legible files (%s)', async (language) => {
    const sent = mail(language);
    await delivery({ MAIL_FOLDER: folder })(sent);
    expect(await readdir(folder)).toEqual([NAME]);
    const file = await read();
    const lines = file.split('\n');
    for (const line of sent.text.split('\n')) expect(lines).toContain(line);
    expect(lines).toContain(LINK);
    expect(file).not.toContain('\r');
    expect(file).toContain(`href="${LINK}"`);
    const parsed = await simpleParser(file);
    expect(parsed.subject).toBe(sent.subject);
    expect(parsed.text).toBe(sent.text);
    expect(parsed.html).toBe(sent.html);
    expect(parsed.messageId).toBe('<mail_1@console.test>');
    expect(parsed.headers.get('auto-submitted')).toBe('auto-generated');
  });

  it('carry an attachment unchanged and stay legible', async () => {
    const sent = withInvoice();
    await delivery({ MAIL_FOLDER: folder })(sent);
    const file = await read();
    expectInvoice(await simpleParser(file), sent);
    for (const line of sent.text.split('\n')) expect(file.split('\n')).toContain(line);
  });

  it.each(['a.pdf"\r\nBcc: all@example.com', '../../etc/passwd', 'a\u0000b\u2028.pdf', '"; filename="b.exe'])(
    'are not changed by a hostile file name (%j)',
    async (fileName) => {
      await delivery({ MAIL_FOLDER: folder })(withInvoice({ fileName }));
      const { headers, attachments, subject } = await simpleParser(await read());
      expect([...headers.keys()]).not.toContain('bcc');
      expect(subject).toBe(mail('zh-CN').subject);
      expect(attachments.map(({ contentType }) => contentType)).toEqual(['application/pdf']);
      expect(attachments[0]!.content.equals(INVOICE.content)).toBe(true);
    },
  );

  it('are readable by the owner only', async () => {
    await delivery({ MAIL_FOLDER: folder })(mail());
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, NAME))).mode & 0o777).toBe(0o600);
  });

  it('replace themselves when written again, and leave nothing behind after a failure', async () => {
    const deliver = delivery({ MAIL_FOLDER: folder });
    await deliver(mail());
    await deliver(mail('zh-CN'));
    expect(await readdir(folder)).toEqual([NAME]);
    expect(await read()).toContain('重设');
    await rm(folder, { recursive: true });
    await writeFile(folder, 'a file, not a folder');
    await expect(deliver(mail())).rejects.toMatchObject({ code: 'EEXIST' });
    await rm(folder);
    await deliver(mail());
    await rm(join(folder, NAME));
    // A folder with that name cannot be replaced by a file.
    await delivery({ MAIL_FOLDER: join(folder, NAME) })(mail());
    await expect(deliver(mail())).rejects.toMatchObject({ code: 'EISDIR' });
    expect(await readdir(folder)).toEqual([NAME]);
  });

  it('have a sender derived from the site by default', async () => {
    const sender = async (environment: Record<string, string>) => {
      await delivery({ MAIL_FOLDER: folder, ...environment })(mail());
      return (await simpleParser(await read())).from?.value;
    };
    const CONSOLE_URL = 'https://api.example.cn:8443';
    expect(await sender({ CONSOLE_URL })).toEqual([
      { name: 'Inference Platform', address: 'no-reply@api.example.cn' },
    ]);
    const cases: [string, string, string][] = [
      ['a@example.com', '', 'a@example.com'],
      ['<a@example.com>', '', 'a@example.com'],
      ['"Us, Inc." <a@example.com>', 'Us, Inc.', 'a@example.com'],
      ['Us, Inc. <a@example.com>', 'Us, Inc.', 'a@example.com'],
      ['推理平台 <a@example.com>', '推理平台', 'a@example.com'],
    ];
    for (const [text, name, address] of cases)
      expect(await sender({ MAIL_FROM: text })).toEqual([{ name, address }]);
    for (const text of ['nobody', 'a@example.com, b@example.com', 'X <a@example.com>\r\nBcc: b@example.com'])
      await expect(sender({ MAIL_FROM: text })).rejects.toThrow('MAIL_FROM');
  });

  it.each([
    'Evil\r\nBcc: all@example.com\r\n\r\n<script>alert(1)</script>',
    'Evil" <evil@example.com>, "',
    'Evil\u2028\u0000\u0007Bcc: all@example.com',
    `=?utf-8?Q?Evil=0D=0ABcc:_all@example.com?=`,
    '恶'.repeat(200),
  ])('are not changed by a hostile site name (%j)', async (SITE_NAME) => {
    await delivery({ MAIL_FOLDER: folder, SITE_NAME })(mail('zh-CN', SITE_NAME));
    const file = await read();
    const { headerLines, from, to, html } = await simpleParser(file);
    expect(headerLines.map(({ key }) => key).sort()).toEqual(
      [
        'auto-submitted',
        'content-type',
        'date',
        'from',
        'message-id',
        'mime-version',
        'subject',
        'to',
      ].sort(),
    );
    expect(from?.value.map(({ address }) => address)).toEqual(['no-reply@console.test']);
    expect(to).toMatchObject({ value: [{ address: 'ann@example.com', name: '' }] });
    expect(html).not.toContain('<script');
  });
});
