import { type Language, LANGUAGES } from '../../../accounts/languages';
import {
  isAddressMailKind,
  isBillingMailKind,
  isBulkMailKind,
  isTokenMailKind,
  MAIL_KINDS,
  type MailKind,
} from '../mail-kinds';
import { renderMessage } from './message';
import { TEMPLATES_EN } from './templates.en';
import { TEMPLATES_ZH } from './templates.zh';

const KINDS = Object.keys(MAIL_KINDS) as MailKind[];
const TOKEN = `vrf_${'a'.repeat(43)}`;
const CONSOLE = 'https://ui.example.com/a&b';
const INVITER = 'bob@example.com';
const LINK = `${CONSOLE}/verify-email#token=${TOKEN}`;
const BILLING = `${CONSOLE}/payments`;
const AT = '2026-11-21 15:05:01';
/** Data common to all billing mails. */
const MONEY = {
  link: BILLING,
  amount: { figure: '1,250.00', currency: 'USD', isRounded: false },
  threshold: { figure: '5.00', currency: 'CNY', isRounded: false },
  balance: { figure: '4.99', currency: 'CNY', isRounded: true },
  paymentId: 'pay_1',
  number: 'INV-2026-000042',
  name: 'production',
  prefix: 'bfvk-abcdefg',
  at: AT,
} as const;

const ANNOUNCED = {
  en: { title: 'Maintenance', body: 'On Sunday.\nAt two.\n\nSorry.' },
  'zh-CN': { title: '系统维护通知', body: '周日两点。\n\n敬请谅解。' },
};

const message = (kind: MailKind, language: Language, overrides: Record<string, string | null> = {}) => {
  const shared = { siteName: 'Example', ...overrides };
  if (isTokenMailKind(kind))
    return renderMessage(kind, language, {
      link: LINK,
      token: TOKEN,
      validHours: 24,
      isFirstVerification: true,
      ...shared,
    });
  if (isBillingMailKind(kind)) return renderMessage(kind, language, { ...MONEY, ...shared });
  if (isBulkMailKind(kind))
    return renderMessage(kind, language, { ...ANNOUNCED[language], link: CONSOLE, ...shared });
  if (isAddressMailKind(kind))
    return renderMessage(kind, language, { invitedBy: INVITER, link: CONSOLE, ...shared });
  return renderMessage(kind, language, { at: AT, address: '203.0.113.7', link: CONSOLE, ...shared });
};

/** Lines that contain only a link or a token, so that they can be copied. */
const standsAlone = (kind: MailKind) =>
  isTokenMailKind(kind) ? [LINK, TOKEN] : [isBillingMailKind(kind) ? BILLING : CONSOLE];

describe('the mail templates', () => {
  it('are complete in every language', () => {
    const keys = (texts: object) =>
      Object.entries(texts).map(([kind, text]) => [kind, Object.keys(text as object)]);
    expect(keys(TEMPLATES_ZH)).toEqual(keys(TEMPLATES_EN));
    expect(Object.keys(TEMPLATES_EN)).toEqual(KINDS);
  });

  it.each(LANGUAGES.flatMap((language) => KINDS.map((kind) => [language, kind] as const)))(
    'the template in %s for %s states the purpose of the mail',
    (language, kind) => {
      const { subject, text, html } = message(kind, language);
      expect(subject).toContain('Example');
      expect(text).toContain('Example');
      expect(html).toContain(`<html lang="${language}">`);
      for (const line of standsAlone(kind)) {
        expect(text.split('\n')).toContain(line);
        expect(html).toContain(`>${line.replace('&', '&amp;')}</`);
      }
      if (isAddressMailKind(kind)) {
        expect(subject).toContain(INVITER);
        expect(text).toContain(INVITER);
      } else if (isBulkMailKind(kind)) {
        expect(subject).toContain(ANNOUNCED[language].title);
        expect(text.startsWith(ANNOUNCED[language].body)).toBe(true);
      } else if (!isTokenMailKind(kind) && !isBillingMailKind(kind)) {
        expect(text).toContain(AT);
        expect(text).toContain('UTC');
        // A key that was found in public is reported by a scanner, whose address says nothing to its owner.
        expect(text.includes('203.0.113.7')).toBe(!kind.endsWith('_leaked'));
        expect(message(kind, language, { address: null }).text).not.toMatch(/null|203/);
      }
      expect(text).not.toMatch(/undefined|null|\[object/);
      expect(html).not.toMatch(/undefined|null|\[object/);
      expect(/[\u4e00-\u9fff]{4}/.test(subject + text)).toBe(language === 'zh-CN');
      // Both forms contain the same text.
      const plain = html
        .replace(/<head>[\s\S]*<\/head>/, '')
        .replace(/<[^>]+>/g, '')
        .replaceAll('&#39;', "'")
        .replaceAll('&amp;', '&');
      expect(plain.split(/\s+/).filter(Boolean)).toEqual(text.split(/\s+/).filter(Boolean));
    },
  );

  it('differ from each other', () => {
    for (const language of LANGUAGES) {
      expect(new Set(KINDS.map((kind) => message(kind, language).subject)).size).toBe(KINDS.length);
      expect(new Set(KINDS.map((kind) => message(kind, language).text)).size).toBe(KINDS.length);
    }
  });

  it('say what the first verification of an address removes', () => {
    const facts = { siteName: 'Example', link: LINK, token: TOKEN, validHours: 1 };
    const text = (language: Language, isFirstVerification: boolean) =>
      renderMessage('reset_password', language, { ...facts, isFirstVerification: isFirstVerification }).text;
    for (const [language, keys] of [
      ['en', 'API keys'],
      ['zh-CN', 'API 密钥'],
    ] as const) {
      expect(text(language, true)).toContain(keys);
      expect(text(language, false)).not.toContain(keys);
    }
  });

  it('lists what was revoked, and names a new admin', () => {
    const facts = { siteName: 'Example', link: LINK, at: AT, address: '203.0.113.7' };
    const revoked = { apiKeys: 2, workspaceKeys: 0, identities: 1, secondFactors: 0, passwords: 0 };
    const list = renderMessage('access_revoked', 'en', { ...facts, revoked }).text;
    expect(list).toContain('API keys: 2\nLinked accounts of other providers: 1\n');
    expect(renderMessage('access_revoked', 'zh-CN', { ...facts, revoked }).text).toContain('API 密钥：2\n');
    const admin = { email: 'new@example.com', appointedBy: 'root@example.com' };
    for (const language of LANGUAGES) {
      const { subject, text } = renderMessage('admin_appointed', language, { ...facts, admin });
      expect(subject).toContain(admin.email);
      expect(text).toContain(admin.appointedBy);
    }
  });

  it('advise to delete a key of which the present secret was found in public', () => {
    const facts = { siteName: 'Example', link: LINK, at: AT, address: null };
    for (const isFormerSecret of [false, true]) {
      const leaked = { name: 'ci', prefix: 'bfvk-abc', url: '', isFormerSecret };
      const { text } = renderMessage('api_key_leaked', 'en', { ...facts, leaked });
      expect(text.includes('delete this one')).toBe(!isFormerSecret);
    }
  });

  it('state how long a token is valid', () => {
    const facts = { siteName: 'Example', link: LINK, token: TOKEN, isFirstVerification: false };
    const text = (language: Language, validHours: number) =>
      renderMessage('reset_password', language, { ...facts, validHours }).text;
    expect(text('en', 1)).toContain('within one hour');
    expect(text('en', 24)).toContain('within 24 hours');
    expect(text('zh-CN', 24)).toContain('24 小时');
  });

  it.each<[MailKind, Language, string, string[]]>([
    [
      'payment_received',
      'en',
      '1,250.00 USD',
      ['1,250.00 USD was added', 'Payment: pay_1', `Paid: ${AT} UTC`],
    ],
    ['payment_received', 'zh-CN', '1,250.00 美元', ['增加 1,250.00 美元', '付款编号：pay_1', `${AT}（UTC）`]],
    [
      'payment_refunded',
      'en',
      'refunded 1,250.00 USD',
      ['1,250.00 USD was deducted from your balance', 'Payment: pay_1', `Refunded: ${AT} UTC`],
    ],
    [
      'payment_refunded',
      'zh-CN',
      '退款 1,250.00 美元',
      ['退款 1,250.00 美元', '付款编号：pay_1', `${AT}（UTC）`],
    ],
    [
      'low_balance',
      'en',
      'below 5.00 CNY',
      ['fallen below 5.00 CNY', 'Balance: about 4.99 CNY', `When: ${AT} UTC`],
    ],
    ['low_balance', 'zh-CN', '低于 5.00 元', ['低于 5.00 元', '余额：约 4.99 元', `${AT}（UTC）`]],
    ['invoice_issued', 'en', 'INV-2026-000042', ['invoice INV-2026-000042']],
    ['invoice_issued', 'zh-CN', 'INV-2026-000042', ['票据 INV-2026-000042']],
  ])('say for %s in %s how much, and of what', (kind, language, inSubject, inText) => {
    const { subject, text } = message(kind, language);
    expect(subject).toContain(inSubject);
    for (const part of inText) expect(text).toContain(part);
  });

  it.each(LANGUAGES.flatMap((language) => KINDS.map((kind) => [language, kind] as const)))(
    'the template in %s for %s escapes names in markup and headers',
    (language, kind) => {
      const siteName = `<script>alert("1")</script> & 'Söhne' 公司\r\nBcc: all@example.com\u0085\u2028x`;
      const hostile = { siteName, address: '<img src=x>', link: 'https://ui.example.com/"><b>' };
      const { subject, text, html } = message(kind, language, hostile);
      expect(subject).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      expect(html).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;Söhne&#39; 公司');
      expect(html).not.toMatch(/<script|<img|<b>/);
      expect(text).toContain('<script>');
    },
  );
});
