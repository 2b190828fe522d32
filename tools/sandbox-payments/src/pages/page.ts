import { createHash } from 'node:crypto';

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 0 auto; padding: 1rem; color: #1b1b1f }
  h1 { font-size: 1.4rem; margin: .5rem 0 }
  h2 { font-size: 1.1rem; margin: 1.5rem 0 .5rem }
  h1, dd, p { overflow-wrap: anywhere }
  .sum { font-size: 2rem; font-weight: 600; margin: 0 }
  .note { color: #5c5f66; font-size: .875rem }
  .status { display: inline-block; padding: 0 .6rem; border-radius: 1rem; background: #e9e9ee }
  .paid { background: #d6f2dd } .open { background: #dfeaff } .failed, .expired { background: #fbe0dd }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem }
  dt { color: #5c5f66 } dd { margin: 0 }
  label { display: block; margin: .75rem 0 }
  input { display: block; width: 100%; box-sizing: border-box; font: inherit; padding: .5rem }
  button { font: inherit; padding: .6rem 1.2rem; margin: .25rem .5rem .25rem 0 }
  button.pay { background: #1a56db; color: #fff; border: 1px solid #1a56db; border-radius: .25rem }
  img { display: block; margin: 1rem 0; width: 12rem; height: 12rem; image-rendering: pixelated }
  ul { padding: 0; list-style: none }
  li { padding: .5rem 0; border-bottom: 1px solid #e0e0e6; overflow-wrap: anywhere }
`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${STYLE_HASH}'`,
  'img-src data:',
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/** The policy allows no scripts and no content from other origins. */
export const HTML_HEADERS: Record<string, string> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
};

/** `title` is plain text. `body` is HTML. */
export const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
<p class="note">Sandbox payments: no real money moves here.</p>
${body}
</html>
`;

export const errorPage = (message: string): string =>
  page('Sandbox payments', `<h1>${escapeHtml(message)}</h1>\n<p><a href="/">All orders</a></p>`);
