/** Marks that nobody sees, and that come along when a text is copied. */
const INVISIBLE = /[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;

const FULL_WIDTH = /[\uff01-\uff5e]/g;
const FULL_WIDTH_OFFSET = 0xfee0;

/** A code, a number or a name as a keyboard for Latin letters would have typed it: full-width characters become the usual ones. */
export const typedPlainly = (text: string): string =>
  text
    .replace(FULL_WIDTH, (character) => String.fromCharCode(character.charCodeAt(0) - FULL_WIDTH_OFFSET))
    .replace(INVISIBLE, '');
