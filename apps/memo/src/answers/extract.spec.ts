import fc from 'fast-check';
import { extractAnswer } from './extract';
import { type Asked } from './quotation';
import { sentencesOf } from './sentences';
import { tellingSentencesOf } from './telling';

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
});

describe('telling sentences', () => {
  const telling = (told: string, mostCharacters = 100) =>
    tellingSentencesOf(told, mostCharacters).map(({ start, end, above }) => [above, told.slice(start, end)]);

  it('have the heading above their block', () => {
    const told =
      'FAQ\n\nQ: How do I reset it?\nA: Press both keys. Wait.\n\nIt is new.\n\n9. Care\n\n- Gift: none\n- No water';
    expect(telling(told)).toEqual([
      ['FAQ\nQ: How do I reset it?', 'A: Press both keys.'],
      ['FAQ\nQ: How do I reset it?', 'Wait.'],
      ['', 'It is new.'],
      ['9. Care', '- Gift: none'],
      ['9. Care', '- No water'],
    ]);
  });

  it('go on with a list below a paragraph', () => {
    expect(telling('Returns\n\nIt is easy.\n\n1. Pack it.\n2. Send it.\n\nWe care.')).toEqual([
      ['Returns', 'It is easy.'],
      ['Returns', '1. Pack it.'],
      ['Returns', '2. Send it.'],
      ['', 'We care.'],
    ]);
  });

  it('are no title and no chapter, but each line of notes', () => {
    expect(telling('Book\n\nPart\n\nChapter\n\nText.')).toEqual([['Book\nPart\nChapter', 'Text.']]);
    expect(telling('One\n\nTwo\n\nThree\n\nFour\n\nText.')).toEqual([
      ['', 'One'],
      ['', 'Two'],
      ['', 'Three'],
      ['Four', 'Text.'],
    ]);
    expect(telling('Where?\nHere\n\nWhen?\nNow\n\nText.')).toEqual([
      ['Where?', 'Here'],
      ['When?', 'Now'],
      ['', 'Text.'],
    ]);
  });

  it('hold a list with the line that announces it, as far as it fits', () => {
    const told = 'Ends\n\nWe shall:\n\n(a) return all;\n(b) help. A lot.\niv) leave\n\nThat is all.';
    const list = 'We shall:\n\n(a) return all;\n(b) help. A lot.\niv) leave';
    expect(telling(told)).toEqual([
      ['Ends', list],
      ['', 'That is all.'],
    ]);
    expect(telling(told, list.length - 1)).toEqual([
      ['Ends', list.slice(0, -'\niv) leave'.length)],
      ['Ends\nWe shall:', 'iv) leave'],
      ['', 'That is all.'],
    ]);
    expect(telling(told, 10)[0]).toEqual(['Ends\nWe shall:', '(a) return all;']);
  });

  it('are not what announces other things, unless there are none', () => {
    expect(telling('We say:\n\nHello you.\n\nBye. Then:')).toEqual([
      ['We say:', 'Hello you.'],
      ['', 'Bye.'],
      ['', 'Then:'],
    ]);
  });

  it('of a table know its first row', () => {
    const told = 'Prices\n\nLamp | Price\nFinch | 89\nHeron | 219\n\nWren | 59';
    expect(telling(told)).toEqual([
      ['Prices', 'Lamp | Price'],
      ['Prices\nLamp | Price', 'Finch | 89'],
      ['Prices\nLamp | Price', 'Heron | 219'],
      ['Prices', 'Wren | 59'],
    ]);
    // It may be any row of a table that was cut in two.
    expect(telling('Finch | 89\nHeron | 219')[1]).toEqual(['', 'Heron | 219']);
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
    expect(answer([told], 'refunds')).toBe('Within five days. Ask us. [1]');
    expect(answer(['Within five days.'], 'shop')).toBe('');
    expect(answer(['Refunds are free.'], 'shop', 'refunds', 'x', 'y')).toBe('Refunds are free. [1]');
  });

  it('has no numbers in square brackets but those of its passages', () => {
    const told = 'The refund takes 45 days [1] [7].';
    const { text, quoted } = extractAnswer([{ title: '', text: told }], asked('refund'));
    expect(text).toBe('The refund takes 45 days (1) (7). [1]');
    expect(told.slice(quoted[0]!.start, quoted[0]!.end)).toBe(told);
  });

  it('is a list with what announces it, and never that alone', () => {
    expect(answer(['The end\n\nOn termination we shall:\n\n- return all\n- help'], 'termination')).toBe(
      'On termination we shall: - return all - help [1]',
    );
    expect(answer(['On termination we shall:\n\n{}'], 'termination')).toBe('');
    expect(answer(['On termination we shall:\n\nHelp.'], 'termination')).toBe('Help. [1]');
  });

  it('is all that a heading names, but less than a sentence that says it', () => {
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

  it('is no title', () => {
    const told = 'Master Services Agreement\n\nbetween Northwind and Varna\n\nIt governs the services.';
    expect(answer([told], 'harbour', 'master')).toBe('');
  });

  it('is the row of a table before its first row, which says what the cells are', () => {
    const told =
      'Rates\n\nRoom | Low season | High season\nSingle | 80 | 110\nDouble | 120 | 160\n\nCall us.';
    const { text, quoted } = extractAnswer(
      [{ title: '', text: told }],
      asked('double', 'room', 'low', 'season'),
    );
    expect(text).toBe('Room | Low season | High season [1] Double | 120 | 160 [1]');
    expect(told.slice(quoted[0]!.start, quoted[0]!.end)).toBe('Double | 120 | 160');
  });

  it('has the first row of a table above another one, once', () => {
    const told = 'Prices\n\nLamp | Price\nFinch | 89\nHeron | 219\nHeron XL | 229';
    const { text, quoted } = extractAnswer([{ title: '', text: told }], asked('heron', 'price'));
    expect(text).toBe('Lamp | Price [1] Heron | 219 [1] Heron XL | 229 [1]');
    expect(quoted.map(({ start, end }) => told.slice(start, end))).toEqual([
      'Heron | 219',
      'Heron XL | 229',
      'Lamp | Price',
    ]);
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
