/** A text, or an address in it. */
export type TextPart = string | { href: string };

/** Characters that an address may have (RFC 3986); the last one is none that ends a sentence. */
const ADDRESS = /(https:\/\/[\w.~:/?#[\]@!$&'()*+,;=%-]*[\w~/#&=+%-])/;

/** Finds the addresses in a plain text. */
export const splitLinks = (text: string): TextPart[] =>
  text
    .split(ADDRESS)
    .map((part, index) => (index % 2 === 1 && URL.canParse(part) ? { href: part } : part))
    .filter((part) => part !== '');
