import { type Language } from '../auth/accounts';
import { type MailKind } from './mail-kinds';
import { type FactsOf, type MailText, type MailTexts, type Paragraph } from './mail-texts';
import { TEXTS_EN } from './texts.en';
import { TEXTS_ZH } from './texts.zh';

/** What a mail says, in two forms of the same paragraphs. */
export interface Letter {
  /** One line. */
  subject: string;
  text: string;
  html: string;
}

const TEXTS: Record<Language, MailTexts> = { en: TEXTS_EN, 'zh-CN': TEXTS_ZH };
const BREAKS = /[\s\p{Cc}]+/gu;
const HTML_ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Without line breaks and control characters, which have no place in a name or a subject. */
export const toOneLine = (text: string) => text.replace(BREAKS, ' ').trim();

/** `2026-11-21 15:05:01`, in UTC. */
export const instantText = (instant: string | Date) =>
  new Date(instant).toISOString().slice(0, 19).replace('T', ' ');

export const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => HTML_ESCAPES[character]!);

function textOf(paragraph: Paragraph): string {
  if (typeof paragraph === 'string') return paragraph;
  return 'link' in paragraph ? paragraph.link : paragraph.token;
}

function htmlOf(paragraph: Paragraph): string {
  const text = escapeHtml(textOf(paragraph));
  if (typeof paragraph === 'string') return `<p>${text.replaceAll('\n', '<br>\n')}</p>`;
  return 'link' in paragraph ? `<p><a href="${text}">${text}</a></p>` : `<p><code>${text}</code></p>`;
}

export function renderLetter<Kind extends MailKind>(
  kind: Kind,
  language: Language,
  facts: FactsOf<Kind>,
): Letter {
  const { subject, paragraphs } = TEXTS[language][kind] as MailText<FactsOf<Kind>>;
  const title = toOneLine(subject(facts));
  const written = paragraphs(facts);
  return {
    subject: title,
    text: `${written.map(textOf).join('\n\n')}\n`,
    html: [
      `<!doctype html>\n<html lang="${language}">`,
      `<head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>\n<body>`,
      ...written.map(htmlOf),
      '</body>\n</html>\n',
    ].join('\n'),
  };
}
