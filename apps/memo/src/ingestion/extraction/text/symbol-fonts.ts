/** The characters of the font Symbol, from 0x20 and from 0xa0 on. */
const SYMBOL = [
  ' !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼',
  '€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪ 〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭',
];
/** The signs of other fonts that stand in texts: ticks, boxes, bullets, arrows and numbers. */
const WINGDINGS =
  '28☎ 2a✉ 4a☺ 4c☹ 6c● 6e■ 6f□ 71❑ 72❒ 76❖ 78⌧ 81① 82② 83③ 84④ 85⑤ 86⑥ 87⑦ 88⑧ 89⑨ 8a⑩ 8c❶ 8d❷ 8e❸ 8f❹ 90❺ 91❻ 92❼ 93❽ 94❾ 95❿ ' +
  '9f• a7▪ a8◻ d8➢ df← e0→ e1↑ e2↓ e7← e8➔ ef⇦ f0⇨ fb✗ fc✓ fd☒ fe☑';
const WINGDINGS_2 = '4f✗ 50✓ 51☒ 52☑ 53☒ 54☒ a3☐ 97● 98●';
/** Where fonts of signs put their characters. */
const PRIVATE_USE = 0xf000;

const tableOf = (signs: string): Map<number, string> =>
  new Map(signs.split(' ').map((sign) => [Number.parseInt(sign, 16), sign.replace(/^[\da-f]{2}/, '')]));

const FONTS = new Map<string, Map<number, string>>([
  [
    'symbol',
    new Map(
      SYMBOL.flatMap((signs, half) =>
        [...signs].map((sign, at): [number, string] => [0x20 + 0x80 * half + at, sign]),
      ),
    ),
  ],
  ['wingdings', tableOf(WINGDINGS)],
  ['wingdings 2', tableOf(WINGDINGS_2)],
]);

/** Whether the characters of a font are signs of its own. */
export const isSymbolFont = (font: string): boolean => FONTS.has(font.trim().toLowerCase());

/** What a font of signs shows for a character, or the character itself in other fonts. A sign without a character is left out. */
export function symbolIn(font: string, code: number): string {
  const table = FONTS.get(font.trim().toLowerCase());
  const isPrivate = code >= PRIVATE_USE && code < PRIVATE_USE + 0x100;
  if (!table) return isPrivate || code > 0x10ffff ? '' : String.fromCodePoint(code);
  return table.get(isPrivate ? code - PRIVATE_USE : code) ?? '';
}
