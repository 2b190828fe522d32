import { Converter } from 'opencc-js';

type Convert = (text: string) => string;

const FIRST = 0x3400;
const LAST = 0x9fff;

let converters: Convert[] | undefined;
/** By code unit; 0 for what has not been met yet. */
const simplified = new Uint16Array(0x1_0000);

/**
 * Chinese in one spelling, whichever of the two it was written in, and Japanese characters like the Chinese ones that
 * they are forms of. Character by character, so the length stays.
 */
export function simplify(text: string): string {
  let result = '';
  let copied = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < FIRST || code > LAST) continue;
    const simple = simplified[code] || learn(code);
    if (simple === code) continue;
    result += text.slice(copied, at) + String.fromCharCode(simple);
    copied = at + 1;
  }
  return copied === 0 ? text : result + text.slice(copied);
}

function learn(code: number): number {
  converters ??= [Converter({ from: 't', to: 'cn' }), Converter({ from: 'jp', to: 'cn' })];
  const character = String.fromCharCode(code);
  const other = converters.map((convert) => convert(character)).find((form) => form !== character);
  return (simplified[code] = other?.length === 1 ? other.charCodeAt(0) : code);
}
