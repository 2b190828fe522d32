import fc from 'fast-check';
import { collapseWhitespace, splitSentences } from './sentence-segmentation';
import { statementsOf } from './statements';

describe('splitSentences', () => {
  const sentences = (passage: string) =>
    splitSentences(passage).map(({ start, end }) => passage.slice(start, end));

  it('ends sentences at their marks, also in Chinese, and not at wrapped lines', () => {
    expect(sentences('First one.\nGoes on? Yes!  \n\nA heading\n\nThe\nend')).toEqual([
      'First one.',
      'Goes on?',
      'Yes!',
      'A heading',
      'The\nend',
    ]);
    expect(sentences('价格是三元。可以退款吗？可以！')).toEqual(['价格是三元。', '可以退款吗？', '可以！']);
  });

  it('separates list items, table rows and lines that end early', () => {
    const passage = [
      'You need:\n- a passport\n- two pictures, in\ncolour\n1. First of all',
      'Item | Limit\nHotel | 140 EUR',
      '第三章 病假\n员工请病假须提供二级以上医院的诊断证明。病假期间的工资照付。',
    ].join('\n\n');
    expect(sentences(passage)).toEqual([
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

  it('continues after abbreviations', () => {
    expect(sentences('Dr. J. Smith of the U.S. Army left. He is well.')).toEqual([
      'Dr. J. Smith of the U.S. Army left.',
      'He is well.',
    ]);
    const passage =
      'Es kostet z. B. 5 EUR inkl. MwSt. am Ort, approx. 9 USD excl. VAT, d.h. Nr. 5. La Sra. García.';
    expect(sentences(passage)).toHaveLength(2);
  });

  it('covers all text that is not white space, once and in order', () => {
    const text = fc
      .array(
        fc.oneof(
          fc.constantFrom('\n', '\n\n', ' ', '- ', '1. ', '退款。', 'Dr. ', ' | '),
          fc.string({ unit: 'grapheme' }),
        ),
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (passage) => {
        expect(sentences(passage).join('').replace(/\s/g, '')).toBe(passage.replace(/\s/g, ''));
      }),
    );
  });
});

describe('statementsOf', () => {
  const statements = (passage: string, maxListCharacters = 100) =>
    statementsOf(passage, maxListCharacters).map(({ start, end, context: above }) => [
      above,
      passage.slice(start, end),
    ]);

  it('adds the heading above the block to each statement', () => {
    const passage =
      'FAQ\n\nQ: How do I reset it?\nA: Press both keys. Wait.\n\nIt is new.\n\n9. Care\n\n- Gift: none\n- No water';
    expect(statements(passage)).toEqual([
      ['FAQ\nQ: How do I reset it?', 'A: Press both keys.'],
      ['FAQ\nQ: How do I reset it?', 'Wait.'],
      ['', 'It is new.'],
      ['9. Care', '- Gift: none'],
      ['9. Care', '- No water'],
    ]);
  });

  it('continues with a list below a paragraph', () => {
    expect(statements('Returns\n\nIt is easy.\n\n1. Pack it.\n2. Send it.\n\nWe care.')).toEqual([
      ['Returns', 'It is easy.'],
      ['Returns', '1. Pack it.'],
      ['Returns', '2. Send it.'],
      ['', 'We care.'],
    ]);
  });

  it('excludes titles and chapters, and includes each line of notes', () => {
    expect(statements('Book\n\nPart\n\nChapter\n\nText.')).toEqual([['Book\nPart\nChapter', 'Text.']]);
    expect(statements('One\n\nTwo\n\nThree\n\nFour\n\nText.')).toEqual([
      ['', 'One'],
      ['', 'Two'],
      ['', 'Three'],
      ['Four', 'Text.'],
    ]);
    expect(statements('Where?\nHere\n\nWhen?\nNow\n\nText.')).toEqual([
      ['Where?', 'Here'],
      ['When?', 'Now'],
      ['', 'Text.'],
    ]);
  });

  it('joins a list with its lead-in, as far as it fits', () => {
    const passage = 'Ends\n\nWe shall:\n\n(a) return all;\n(b) help. A lot.\niv) leave\n\nThat is all.';
    const list = 'We shall:\n\n(a) return all;\n(b) help. A lot.\niv) leave';
    expect(statements(passage)).toEqual([
      ['Ends', list],
      ['', 'That is all.'],
    ]);
    expect(statements(passage, list.length - 1)).toEqual([
      ['Ends', list.slice(0, -'\niv) leave'.length)],
      ['Ends\nWe shall:', 'iv) leave'],
      ['', 'That is all.'],
    ]);
    expect(statements(passage, 10)[0]).toEqual(['Ends\nWe shall:', '(a) return all;']);
  });

  it('excludes lead-ins, unless nothing follows them', () => {
    expect(statements('We say:\n\nHello you.\n\nBye. Then:')).toEqual([
      ['We say:', 'Hello you.'],
      ['', 'Bye.'],
      ['', 'Then:'],
    ]);
  });

  it('adds the header row to the rows of a table', () => {
    const passage = 'Prices\n\nLamp | Price\nFinch | 89\nHeron | 219\n\nWren | 59';
    expect(statements(passage)).toEqual([
      ['Prices', 'Lamp | Price'],
      ['Prices\nLamp | Price', 'Finch | 89'],
      ['Prices\nLamp | Price', 'Heron | 219'],
      ['Prices', 'Wren | 59'],
    ]);
    // The first row may be any row of a table that was split.
    expect(statements('Finch | 89\nHeron | 219')[1]).toEqual(['', 'Heron | 219']);
  });
});

test('collapseWhitespace returns one line', () => expect(collapseWhitespace(' a\n\u00a0 b\t')).toBe('a b'));
