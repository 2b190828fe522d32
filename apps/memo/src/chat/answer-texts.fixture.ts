import fc from 'fast-check';

/**
 * Texts with everything that matters here: line breaks, quotes, brackets, Chinese, half surrogate pairs, and
 * lookalikes of the citations line.
 */
export const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'Refunds are issued within five days. ',
        '退款在五天内完成。',
        '"',
        '\n',
        '\r\n',
        '\r',
        '\n\n',
        ' ',
      ),
      fc.constantFrom(
        '[1]',
        '[7',
        ', 2]',
        '【3】',
        '[',
        ']',
        '[[9]2',
        '[2024]',
        '\n- ',
        'Then:\n\n(a) ',
        ' | ',
        'Citations: none',
        'Citations:',
        '\nCitations: [1]',
        '😀',
      ),
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.string({ unit: fc.constantFrom('a', 'b', ' ', '.'), maxLength: 700 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));
/** The text divided into pieces, as a model sends it. */
const pieces = (whole: string) =>
  fc.array(fc.nat({ max: whole.length }), { maxLength: 20 }).map((cuts) => {
    const at = [0, ...cuts.sort((a, b) => a - b), whole.length];
    return at.slice(1).map((end, index) => whole.slice(at[index], end));
  });
export const textInPieces = text.chain((whole) => fc.tuple(fc.constant(whole), pieces(whole)));
