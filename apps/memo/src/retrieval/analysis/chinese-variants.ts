import { Converter } from 'opencc-js';

type Convert = (text: string) => string;

const FIRST = 0x3400;
const LAST = 0x9fff;

let converters: Convert[] | undefined;
/** By UTF-16 code unit; 0 if not looked up yet. */
const simplified = new Uint16Array(0x1_0000);

/**
 * Converts traditional Chinese characters, and Japanese variants of Chinese characters, to simplified ones. The
 * length of the text stays the same.
 */
export function simplifyChinese(text: string): string {
  let result = '';
  let copied = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < FIRST || code > LAST) continue;
    const simple = simplified[code] || lookUp(code);
    if (simple === code) continue;
    result += text.slice(copied, at) + String.fromCharCode(simple);
    copied = at + 1;
  }
  return copied === 0 ? text : result + text.slice(copied);
}

function lookUp(code: number): number {
  converters ??= [Converter({ from: 't', to: 'cn' }), Converter({ from: 'jp', to: 'cn' })];
  const character = String.fromCharCode(code);
  const other = converters.map((convert) => convert(character)).find((form) => form !== character);
  return (simplified[code] = other?.length === 1 ? other.charCodeAt(0) : code);
}
