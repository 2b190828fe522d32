import fc from 'fast-check';
import { extractAnswer } from './extract';
import { type Asked } from './quotation';
import { sentencesOf, tellingSentencesOf } from './sentences';

const asked = (...words: string[]): Asked => ({
  weights: new Map(words.map((word) => [word, 1])),
  wordsIn: (told) => words.filter((word) => told.toLowerCase().includes(word)),
  isAnsweredBy: () => true,
});

describe('sentences', () => {
  const sentences = (told: string) => sentencesOf(told).map(({ start, end }) => told.slice(start, end));

  it('end with their marks, in Chinese as well, and not with a line that is wrapped', () => {
    expect(sentences('First one.\nGoes on? Yes!  \n\nA heading\n\nThe\nend')).toEqual([
      'First one.',
      'Goes on?',
      'Yes!',
      'A heading',
      'The\nend',
    ]);
    expect(sentences('价格是三元。可以退款吗？可以！')).toEqual(['价格是三元。', '可以退款吗？', '可以！']);
  });

  it('do not run over the items of a list, the rows of a table and lines that end early', () => {
    const told = [
      'You need:\n- a passport\n- two pictures, in\ncolour\n1. First of all',
      'Item | Limit\nHotel | 140 EUR',
      '第三章 病假\n员工请病假须提供二级以上医院的诊断证明。病假期间的工资照付。',
    ].join('\n\n');
    expect(sentences(told)).toEqual([
      'You need:',
      '- a passport',
      '- two pictures, in\ncolour',
      '1. First of all',
      'Item | Limit',
      'Hotel | 140 EUR',
      '第三章 病假',
      '员工请病假须提供二级以上医院的诊断证明。',
      '病假期间的工资照付。',
    ]);
  });

  it('go on behind short forms', () => {
    expect(sentences('Dr. J. Smith of the U.S. Army left. He is well.')).toEqual([
      'Dr. J. Smith of the U.S. Army left.',
      'He is well.',
    ]);
    const told =
      'Es kostet z. B. 5 EUR inkl. MwSt. am Ort, approx. 9 USD excl. VAT, d.h. Nr. 5. La Sra. García.';
    expect(sentences(told)).toHaveLength(2);
  });

  it('hold all that is no white space, once and in order', () => {
    const text = fc
      .array(
        fc.oneof(
          fc.constantFrom('\n', '\n\n', ' ', '- ', '1. ', '退款。', 'Dr. ', ' | '),
          fc.string({ unit: 'grapheme' }),
        ),
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (told) => {
        expect(sentences(told).join('').replace(/\s/g, '')).toBe(told.replace(/\s/g, ''));
      }),
    );
  });

  it('tell the heading above them, and no longer the marks of lists', () => {
    const told =
      'FAQ\n\nQ: How do I reset it?\nA: Press both keys. Wait.\n\nNotes\n- Gift: none\n- Do not drop it';
    expect(
      tellingSentencesOf(told).map(({ start, end, heading }) => [heading, told.slice(start, end)]),
    ).toEqual([
      ['', 'FAQ'],
      ['Q: How do I reset it?', 'A: Press both keys.'],
      ['', 'Wait.'],
      ['Notes', 'Gift: none'],
      ['', 'Do not drop it'],
    ]);
  });
});

describe('an answer without a model', () => {
  const answer = (texts: string[], ...words: string[]) =>
    extractAnswer(
      texts.map((text) => ({ title: 'Shop', text })),
      asked(...words),
    ).text;

  it('is the best sentences word for word, with their numbers, in the order of the passages', () => {
    const passages = [
      'Nothing here.',
      'Shipping is\nfree. Refunds take five days.',
      'Refunds take five days.',
      'All days have refunds.',
      'All refunds are free.',
    ].map((text) => ({ title: '', text }));
    expect(extractAnswer(passages, asked('refunds', 'days'))).toMatchObject({
      text: 'Refunds take five days. [2] All days have refunds. [4]',
      quoted: [
        { passage: 2, start: 18, end: 41 },
        { passage: 4, start: 0, end: 22 },
      ],
    });
  });

  it('is none where no sentence says enough of the question', () => {
    expect(answer(['Refunds are free.'], 'warranty')).toBe('');
    expect(answer(['Refunds are free.'], 'refunds', 'cash', 'bank')).toBe('Refunds are free. [1]');
    expect(answer(['Refunds are free.'], 'refunds', 'cash', 'bank', 'time')).toBe('');
  });

  it('is what stands below a heading that says it, not the heading, a question, or what was asked', () => {
    const told =
      'Refunds?\n\nRefunds\n\nWithin five days. Ask us.\n\nDo refunds take long? Really.\n\nRefunds';
    expect(answer([told], 'refunds')).toBe('Within five days. [1]');
    expect(answer(['Within five days.'], 'shop')).toBe('');
    expect(answer(['Refunds are free.'], 'shop', 'refunds', 'x', 'y')).toBe('Refunds are free. [1]');
  });

  it('has no numbers in square brackets but those of its passages', () => {
    const told = 'The refund takes 45 days [1] [7].';
    const { text, quoted } = extractAnswer([{ title: '', text: told }], asked('refund'));
    expect(text).toBe('The refund takes 45 days (1) (7). [1]');
    expect(told.slice(quoted[0]!.start, quoted[0]!.end)).toBe(told);
  });

  it('is at most three sentences', () => {
    const texts = ['One refund.', 'Two refunds.', 'Refund three.', 'Refund four.'];
    expect(answer(texts, 'refund')).toBe('One refund. [1] Two refunds. [2] Refund three. [3]');
  });

  it('takes the best part of a sentence that is too long', () => {
    const words = (word: string) => `${word} `.repeat(120);
    const long = answer([`${words('more')}refunds ${words('less')}`], 'refunds');
    expect(long).toMatch(/^(more )*refunds( less)* \[1\]$/);
    expect(long.length).toBeLessThan(310);
  });
});
