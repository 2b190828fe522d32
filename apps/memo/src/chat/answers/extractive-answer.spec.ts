import { type QueryRelevance } from '../../retrieval/ranking/query-relevance';
import { extractAnswer } from './extractive-answer';

function asked(...words: string[]): QueryRelevance {
  const weights = new Map(words.map((word) => [word, 1]));
  return {
    weights,
    matchWeights: weights,
    matchedWords: (passage) => words.filter((word) => passage.toLowerCase().includes(word)),
    isAnsweredBy: () => true,
  };
}

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
