import { type QueryRelevance } from '../../retrieval/ranking/query-relevance';
import fc from 'fast-check';
import { extractAnswer } from './extractive-answer';
import { splitSentences } from './sentence-segmentation';
import { statementsOf } from './statements';

const asked = (...words: string[]): QueryRelevance => ({
  weights: new Map(words.map((word) => [word, 1])),
  matchedWords: (passage) => words.filter((word) => passage.toLowerCase().includes(word)),
  isAnsweredBy: () => true,
});

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

describe('extractAnswer', () => {
  const answer = (texts: string[], ...words: string[]) =>
    extractAnswer(
      texts.map((text) => ({ title: 'Shop', text })),
      asked(...words),
    ).text;

  it('quotes the best sentences word for word with their numbers, in the order of the passages', () => {
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

  it('is empty if no sentence matches enough of the query', () => {
    expect(answer(['Refunds are free.'], 'warranty')).toBe('');
    expect(answer(['Refunds are free.'], 'refunds', 'cash', 'bank')).toBe('Refunds are free. [1]');
    expect(answer(['Refunds are free.'], 'refunds', 'cash', 'bank', 'time')).toBe('');
  });

  it('quotes the text below a matching heading, not the heading, a question, or the query itself', () => {
    const passage =
      'Refunds?\n\nRefunds\n\nWithin five days. Ask us.\n\nDo refunds take long? Really.\n\nRefunds';
    expect(answer([passage], 'refunds')).toBe('Within five days. Ask us. [1]');
    expect(answer(['Within five days.'], 'shop')).toBe('');
    expect(answer(['Refunds are free.'], 'shop', 'refunds', 'x', 'y')).toBe('Refunds are free. [1]');
  });

  it('contains no numbers in square brackets other than those of its passages', () => {
    const passage = 'The refund takes 45 days [1] [7].';
    const { text, quoted } = extractAnswer([{ title: '', text: passage }], asked('refund'));
    expect(text).toBe('The refund takes 45 days (1) (7). [1]');
    expect(passage.slice(quoted[0]!.start, quoted[0]!.end)).toBe(passage);
  });

  it('quotes a list with its lead-in, and never the lead-in alone', () => {
    expect(answer(['The end\n\nOn termination we shall:\n\n- return all\n- help'], 'termination')).toBe(
      'On termination we shall: - return all - help [1]',
    );
    expect(answer(['On termination we shall:\n\n{}'], 'termination')).toBe('');
    expect(answer(['On termination we shall:\n\nHelp.'], 'termination')).toBe('Help. [1]');
  });

  it('quotes everything below a heading, but ranks it below a sentence that matches itself', () => {
    const steps =
      'How do I return a lamp?\n\n1. Pack it.\n2. Take the lamp away.\n3. Wait.\n4. Smile.\n\nWe care.';
    expect(answer([steps], 'return', 'lamp')).toBe(
      '1. Pack it. 2. Take the lamp away. 3. Wait. 4. Smile. [1]',
    );
    const leave = 'Annual leave\n\nYou get 27 days of annual leave. Ask two days before. Tell us.';
    expect(answer([leave], 'days', 'annual', 'leave')).toBe('You get 27 days of annual leave. [1]');
    const long = `Lamps\n\n${'- Take good care of it\n'.repeat(50)}`;
    const { quoted } = extractAnswer([{ title: '', text: long }], asked('lamp'));
    expect(quoted.map(({ start, end }) => end - start <= 600)).toEqual([true, true]);
  });

  it('does not quote a title', () => {
    const passage = 'Master Services Agreement\n\nbetween Northwind and Varna\n\nIt governs the services.';
    expect(answer([passage], 'harbour', 'master')).toBe('');
  });

  it('quotes a table row before its header row', () => {
    const passage =
      'Rates\n\nRoom | Low season | High season\nSingle | 80 | 110\nDouble | 120 | 160\n\nCall us.';
    const { text, quoted } = extractAnswer(
      [{ title: '', text: passage }],
      asked('double', 'room', 'low', 'season'),
    );
    expect(text).toBe('Room | Low season | High season [1] Double | 120 | 160 [1]');
    expect(passage.slice(quoted[0]!.start, quoted[0]!.end)).toBe('Double | 120 | 160');
  });

  it('quotes the header row of a table once', () => {
    const passage = 'Prices\n\nLamp | Price\nFinch | 89\nHeron | 219\nHeron XL | 229';
    const { text, quoted } = extractAnswer([{ title: '', text: passage }], asked('heron', 'price'));
    expect(text).toBe('Lamp | Price [1] Heron | 219 [1] Heron XL | 229 [1]');
    expect(quoted.map(({ start, end }) => passage.slice(start, end))).toEqual([
      'Heron | 219',
      'Heron XL | 229',
      'Lamp | Price',
    ]);
  });

  it('quotes at most three sentences', () => {
    const texts = ['One refund.', 'Two refunds.', 'Refund three.', 'Refund four.'];
    expect(answer(texts, 'refund')).toBe('One refund. [1] Two refunds. [2] Refund three. [3]');
  });

  it('quotes the best part of a sentence that is too long', () => {
    const words = (word: string) => `${word} `.repeat(120);
    const long = answer([`${words('more')}refunds ${words('less')}`], 'refunds');
    expect(long).toMatch(/^(more )*refunds( less)* \[1\]$/);
    expect(long.length).toBeLessThan(310);
  });
});
