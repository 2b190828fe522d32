import { type Page } from 'playwright-core';
import { type ServedTexts } from './served-texts';

/** Names that are written in Latin letters in Chinese texts, too. */
const NAMES = new Set(
  [
    'AI API APIs CSV CPU DOCX HTML PDF PPTX XLSX ODT EPUB RTF EML MSG TXT MD GPU GPUs HTTP HTTPS ID IP JSON MB GB TB kB OAuth QR SHA SMS SSE TLS UTC URL USD CNY VAT',
    'Linux macOS Windows Shell Bash PowerShell curl wget Python Node Terraform Chrome Chromium Firefox Safari Edge',
    'Stripe Memo LoRA Word OpenAI OpenAPI Schema Top GitHub Google Markdown Enter Shift Ctrl Esc Tab Apache MIT',
    'Asia Atom Shanghai Agent Router Engine router engine token tokens Token',
  ].flatMap((line) => line.split(' ')),
);
/** Names of languages and protocols, and fields, that are words of one. */
const PHRASES =
  /English|简体中文|Chat Completions|Responses（OpenAI）|Responses API|Responses 存储|Messages（Anthropic）|"store": false/g;

/** Texts and names of what is visible, without code and exact values. */
const VISIBLE_TEXTS = `(() => {
  const skipped = 'code, pre, data, time, script, style, noscript, textarea, [translate=no], [aria-hidden=true]';
  const texts = [document.title];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { parentElement, textContent } = walker.currentNode;
    if (!parentElement.closest(skipped)) texts.push(textContent);
  }
  for (const element of document.body.querySelectorAll('*'))
    for (const name of ['aria-label', 'aria-description', 'placeholder', 'title', 'alt'])
      if (element.hasAttribute(name) && !element.closest('[translate=no], [aria-hidden=true]')) texts.push(element.getAttribute(name));
  return [...new Set(texts.map((text) => text.trim()).filter(Boolean))];
})()`;

/**
 * The texts of a page with words of the other language. What the services served, code, identifiers and names may have
 * them: a word with a digit or a sign inside is an identifier.
 */
export async function foreignTexts(tab: Page, language: string, served: ServedTexts): Promise<string[]> {
  const texts = await tab.evaluate<string[]>(VISIBLE_TEXTS);
  const found: string[] = [];
  for (const text of texts) {
    // An example of JSON in an empty field.
    if (/^[[{]/.test(text)) continue;
    const own = (await served.removeFrom(text)).replace(PHRASES, '');
    if (language === 'en' ? /\p{Script=Han}/u.test(own) : hasEnglishWord(own)) found.push(text);
  }
  return found;
}

function hasEnglishWord(text: string): boolean {
  const tokens = text.match(/[A-Za-z0-9][A-Za-z0-9._@:/+$-]*/g) ?? [];
  return tokens.some((token) => {
    const word = token.replace(/[.:/-]+$/, '');
    return /^[A-Za-z]{2,}$/.test(word) && !NAMES.has(word);
  });
}
