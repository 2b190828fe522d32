import { type Language } from '../../../accounts/languages';
import { type MailKind } from '../mail-kinds';
import { type MailTemplate, type MailTemplates, type Paragraph, type TemplateData } from './mail-template';
import { TEMPLATES_EN } from './templates.en';
import { TEMPLATES_ZH } from './templates.zh';

/** A rendered mail. Text and HTML have the same paragraphs. */
export interface Message {
  /** A single line. */
  subject: string;
  text: string;
  html: string;
}

const TEMPLATES: Record<Language, MailTemplates> = { en: TEMPLATES_EN, 'zh-CN': TEMPLATES_ZH };
const BREAKS_AND_CONTROLS = /[\s\p{Cc}]+/gu;
const HTML_ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Replaces line breaks and control characters by spaces, for names and subjects. */
export const toOneLine = (text: string) => text.replace(BREAKS_AND_CONTROLS, ' ').trim();

/** `2026-11-21 15:05:01`, in UTC. */
export const formatInstant = (instant: string | Date) =>
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

/** Renders a kind of mail in one language. */
export function renderMessage<Kind extends MailKind>(
  kind: Kind,
  language: Language,
  data: TemplateData<Kind>,
): Message {
  const { subject, paragraphs } = TEMPLATES[language][kind] as MailTemplate<TemplateData<Kind>>;
  const title = toOneLine(subject(data));
  const rendered = paragraphs(data);
  return {
    subject: title,
    text: `${rendered.map(textOf).join('\n\n')}\n`,
    html: [
      `<!doctype html>\n<html lang="${language}">`,
      `<head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>\n<body>`,
      ...rendered.map(htmlOf),
      '</body>\n</html>\n',
    ].join('\n'),
  };
}
