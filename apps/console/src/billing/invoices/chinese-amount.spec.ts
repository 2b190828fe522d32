import fc from 'fast-check';
import { formatChineseAmount } from './invoice-pdf';

const FIGURES: Record<string, bigint> = {
  ...{ 零: 0n, 壹: 1n, 贰: 2n, 叁: 3n, 肆: 4n, 伍: 5n, 陆: 6n, 柒: 7n, 捌: 8n, 玖: 9n },
};
const SMALL: Record<string, bigint> = { 拾: 10n, 佰: 100n, 仟: 1_000n };

/** Reads the numerals back independently of the implementation: each digit counts at the place named after it. */
function readYuan(text: string): bigint {
  const [, above, below] = /^(.*)亿(.*)$/.exec(text) ?? [];
  if (above !== undefined) return readYuan(above) * 10n ** 8n + readYuan(below!);
  const [, upper, lower] = /^(.*)万(.*)$/.exec(text) ?? [];
  if (upper !== undefined) return readYuan(upper) * 10n ** 4n + readYuan(lower!);
  let sum = 0n;
  for (const [, figure, place] of text.matchAll(/([壹贰叁肆伍陆柒捌玖])([拾佰仟]?)/g))
    sum += FIGURES[figure!]! * (place ? SMALL[place]! : 1n);
  return sum;
}

function readFen(text: string): bigint {
  const [, yuan = '', jiao, fen] = /^(?:(.+)元)?(?:(.)角)?零?(?:(.)分)?整?$/.exec(text)!;
  return readYuan(yuan) * 100n + FIGURES[jiao ?? '零']! * 10n + FIGURES[fen ?? '零']!;
}

const amount = fc.oneof(
  fc.bigInt({ min: 1n, max: 1_000_000n }),
  fc.bigInt({ min: 1n, max: 9_223_372_036_854_775_807n }),
  // Digits are mostly zeros.
  fc
    .array(fc.constantFrom('0', '0', '0', '1', '9'), { minLength: 1, maxLength: 18 })
    .map((figures) => BigInt(`1${figures.join('')}`)),
);

describe('formatChineseAmount', () => {
  it('is reversible to the fen', () => {
    fc.assert(
      fc.property(amount, (fen) => {
        expect(readFen(formatChineseAmount(fen))).toBe(fen);
      }),
      { numRuns: 5_000 },
    );
  });

  it('has no repeated or trailing 零 and ends in 整 exactly when there are no fen', () => {
    fc.assert(
      fc.property(amount, (fen) => {
        const text = formatChineseAmount(fen);
        expect(text).not.toMatch(/零零|零[万亿元角分整]|^零/);
        expect(text).toMatch(fen % 10n === 0n ? /[元角]整$/ : /分$/);
      }),
      { numRuns: 5_000 },
    );
  });

  it.each([
    [1n, '壹分'],
    [10n, '壹角整'],
    [56n, '伍角陆分'],
    [100n, '壹元整'],
    [305n, '叁元零伍分'],
    [450n, '肆元伍角整'],
    [1_000n, '壹拾元整'],
    [1_005n, '壹拾元零伍分'],
    [32_504n, '叁佰贰拾伍元零肆分'],
    [168_032n, '壹仟陆佰捌拾元叁角贰分'],
    [140_950n, '壹仟肆佰零玖元伍角整'],
    [600_714n, '陆仟零柒元壹角肆分'],
    [1_640_902n, '壹万陆仟肆佰零玖元零贰分'],
    [10_700_053n, '壹拾万柒仟元伍角叁分'],
    [10_000_000n, '壹拾万元整'],
    [20_010_000n, '贰拾万零壹佰元整'],
    [100_010_000_00n, '壹亿零壹万元整'],
    [100_000_001_00n, '壹亿零壹元整'],
    [110_000_000_00n, '壹亿壹仟万元整'],
    [1_000_000_000_000_00n, '壹万亿元整'],
    [1_000_100_000_000_00n, '壹万零壹亿元整'],
    [1_234_567_89n, '壹佰贰拾叁万肆仟伍佰陆拾柒元捌角玖分'],
  ])('formats %d fen as %s', (fen, text) => expect(formatChineseAmount(fen)).toBe(text));
});
