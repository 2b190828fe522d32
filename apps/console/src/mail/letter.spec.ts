import { type Language, LANGUAGES } from '../auth/accounts';
import { renderLetter } from './letter';
import { isTokenMailKind, MAIL_KINDS, type MailKind } from './mail-kinds';
import { TEXTS_EN } from './texts.en';
import { TEXTS_ZH } from './texts.zh';

const KINDS = Object.keys(MAIL_KINDS) as MailKind[];
const TOKEN = `vrf_${'a'.repeat(43)}`;
const LINK = `https://ui.example.com/a&b/verify-email?token=${TOKEN}`;

const letter = (kind: MailKind, language: Language, overrides: Record<string, string | null> = {}) => {
  const shared = { siteName: 'Example', ...overrides };
  return isTokenMailKind(kind)
    ? renderLetter(kind, language, {
        link: LINK,
        token: TOKEN,
        validHours: 24,
        isFirstProof: true,
        ...shared,
      })
    : renderLetter(kind, language, {
        at: '2026-11-21 15:05:01',
        address: '203.0.113.7',
        consoleUrl: 'https://ui.example.com/a&b',
        ...shared,
      });
};

describe('the texts of mails', () => {
  it('are the same in every language', () => {
    const keys = (texts: object) =>
      Object.entries(texts).map(([kind, text]) => [kind, Object.keys(text as object)]);
    expect(keys(TEXTS_ZH)).toEqual(keys(TEXTS_EN));
    expect(Object.keys(TEXTS_EN)).toEqual(KINDS);
  });

  it.each(LANGUAGES.flatMap((language) => KINDS.map((kind) => [language, kind] as const)))(
    'in %s for %s say what the mail is for',
    (language, kind) => {
      const { subject, text, html } = letter(kind, language);
      expect(subject).toContain('Example');
      expect(text).toContain('Example');
      expect(html).toContain(`<html lang="${language}">`);
      const standsAlone = isTokenMailKind(kind) ? [LINK, TOKEN] : ['https://ui.example.com/a&b'];
      for (const line of standsAlone) {
        expect(text.split('\n')).toContain(line);
        expect(html).toContain(`>${line.replace('&', '&amp;')}</`);
      }
      if (!isTokenMailKind(kind)) {
        expect(text).toContain('2026-11-21 15:05:01');
        expect(text).toContain('UTC');
        expect(text).toContain('203.0.113.7');
        expect(letter(kind, language, { address: null }).text).not.toMatch(/null|203/);
      }
      expect(text).not.toMatch(/undefined|null|\[object/);
      expect(html).not.toMatch(/undefined|null|\[object/);
      expect(/[\u4e00-\u9fff]{4}/.test(subject + text)).toBe(language === 'zh-CN');
      // What a person reads in the one form is in the other one too.
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
      expect(new Set(KINDS.map((kind) => letter(kind, language).subject)).size).toBe(KINDS.length);
      expect(new Set(KINDS.map((kind) => letter(kind, language).text)).size).toBe(KINDS.length);
    }
  });

  it('say what the first proof of an address takes away', () => {
    const facts = { siteName: 'Example', link: LINK, token: TOKEN, validHours: 1 };
    const text = (language: Language, isFirstProof: boolean) =>
      renderLetter('reset_password', language, { ...facts, isFirstProof }).text;
    for (const [language, keys] of [
      ['en', 'API keys'],
      ['zh-CN', 'API 密钥'],
    ] as const) {
      expect(text(language, true)).toContain(keys);
      expect(text(language, false)).not.toContain(keys);
    }
  });

  it('name how long a token is valid', () => {
    const facts = { siteName: 'Example', link: LINK, token: TOKEN, isFirstProof: false };
    const text = (language: Language, validHours: number) =>
      renderLetter('reset_password', language, { ...facts, validHours }).text;
    expect(text('en', 1)).toContain('within one hour');
    expect(text('en', 24)).toContain('within 24 hours');
    expect(text('zh-CN', 24)).toContain('24 小时');
  });

  it.each(LANGUAGES.flatMap((language) => KINDS.map((kind) => [language, kind] as const)))(
    'in %s for %s let no name into the markup or the headers',
    (language, kind) => {
      const siteName = `<script>alert("1")</script> & 'Söhne' 公司\r\nBcc: all@example.com\u0085\u2028x`;
      const hostile = { siteName, address: '<img src=x>', consoleUrl: 'https://ui.example.com/"><b>' };
      const { subject, text, html } = letter(kind, language, hostile);
      expect(subject).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      expect(html).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;Söhne&#39; 公司');
      expect(html).not.toMatch(/<script|<img|<b>/);
      expect(text).toContain('<script>');
    },
  );
});
