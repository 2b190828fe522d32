import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { type QueryRelevance } from '../../retrieval/ranking/query-relevance';
import { citingSentence } from '../answer-generation';
import { text, textInPieces } from '../answer-texts.fixture';
import { citationsLine } from './citation';
import { CitationMarkerFilter, escapeMarkers } from './citation-markers';
import { bestSnippet, snippetWithin } from './citation-snippet';

function asked(...words: string[]): QueryRelevance {
  const weights = new Map(words.map((word) => [word, word.length]));
  return {
    weights,
    matchWeights: weights,
    matchedWords: (text) => words.filter((word) => text.toLowerCase().includes(word)),
    isAnsweredBy: (text) => words.some((word) => text.toLowerCase().includes(word)),
  };
}

describe('CitationMarkerFilter', () => {
  const filtered = (passages: number, parts: string[]) => {
    const filter = new CitationMarkerFilter(passages);
    const shown = parts.map((part) => filter.push(part)).join('') + filter.end();
    return [shown, [...filter.cited].sort((a, b) => a - b)];
  };

  it.each([
    ['Five days [1].', 'Five days [1].', [1]],
    ['Five [1][3], six [7].', 'Five [1][3], six.', [1, 3]],
    ['Six [7], or [8] five [9][1]; none [9] 【8】', 'Six, or five [1]; none', [1]],
    ['An array[9]of a [9]b.', 'An array[9]of a b.', []],
    ['Both [1, 3; 2].', 'Both [1][3][2].', [1, 2, 3]],
    ['五天【2】。', '五天[2]。', [2]],
    ['None [0] [00] [12].', 'None.', []],
    ['In [2024] a[i] stays [ 3 ].', 'In [2024] a[i] stays [3].', [3]],
    ['An end [1', 'An end [1', []],
    ['Five [[2]], six [[9]], 七【[2]】 [[9]2].', 'Five [2], six, 七[2] [2].', [2]],
    ['Deep [[[[3]]]] [[1], [9, [2]]] [[[[[9]]]]].', 'Deep [3] [1][2].', [1, 2, 3]],
    ['An a[] and [ ] [[2] see [9]] (see [9]).', 'An a[] and [ ] [[2] see] (see).', [2]],
    ['In [[2024], 2] and [[2024]].', 'In [[2024], 2] and [[2024]].', []],
    ['Four 【1†L5-L9】 and [2‡page 4].', 'Four [1] and [2].', [1, 2]],
    ['Four ［１，３］ and [^2].', 'Four [1][3] and [2].', [1, 2, 3]],
    ['Four [3–1], [2 - 2] and [2-9].', 'Four [3–1], [2] and [2][3].', [2, 3]],
    ['Four [cite: 1, 3], [источник 2] 和[出典1].', 'Four [1][3], [2] 和[1].', [1, 2, 3]],
    ['Four［1，2］ and word〔3〕.', 'Four[1][2] and word[3].', [1, 2, 3]],
    ['Four [1 to 3], [1 bis 2] and [1至2].', 'Four [1][2][3], [1][2] and [1][2].', [1, 2, 3]],
    ['Four [1, p. 12], [Source 2, page 3] [3，第4页].', 'Four [1], [2] [3].', [1, 2, 3]],
    ['Four [Ref. 1] [Dokument 2].', 'Four [1] [2].', [1, 2]],
    ['Four (Source 1), (sources 2 and 3) 四（来源：2）。', 'Four [1], [2][3] 四[2]。', [1, 2, 3]],
    [
      'Four (1), (source 9), (source code), (sources), (see source 1) and (passage',
      'Four (1), (source 9), (source code), (sources), (see source 1) and (passage',
      [],
    ],
    ['Four [1‑3], aged [12‑18].', 'Four [1][2][3], aged [12‑18].', [1, 2, 3]],
    ['Four [Sources 1 and 3] [doc 2] [资料1].', 'Four [1][3] [2] [1].', [1, 2, 3]],
    [
      'Aged [12-18], [100, 200], [[1, 0], [0, 1]], [0, 1].',
      'Aged [12-18], [100, 200], [[1, 0], [0, 1]], [0, 1].',
      [],
    ],
    ['Let a[0] = b[10], m[1, 2] or t[0][9].', 'Let a[0] = b[10], m[1, 2] or t[0][9].', []],
    ['Four weeks[1][9], 四周[9][2], five [1†L0-L4, 2†L9].', 'Four weeks[1], 四周[2], five [1][2].', [1, 2]],
    ['Four \\[2\\] in C:\\[a] \\ [x].', 'Four [2] in C:\\[a] \\ [x].', [2]],
    [
      'Sec. [2.1], [A1], [1a], [note 2], [3:15] and 【4:0†source】.',
      'Sec. [2.1], [A1], [1a], [note 2], [3:15] and.',
      [],
    ],
  ])('reads %j as %j', (answer, shown, cited) => {
    expect(filtered(3, [answer])).toEqual([shown, cited]);
    expect(filtered(3, [...answer])).toEqual([shown, cited]);
  });

  const SHARED = JSON.parse(
    readFileSync(join(__dirname, '../../documents/reading-cases/files/cases.json'), 'utf8'),
  ) as { citations: { id: string; passages: number; answer: string; cited: number[] }[] };
  it.each(SHARED.citations.map((one) => [one.id, one] as const))(
    'reads %s',
    (_id, { passages, answer, cited }) => {
      expect(filtered(passages, [answer])[1]).toEqual(cited);
      expect(filtered(passages, [...answer])).toEqual(filtered(passages, [answer]));
    },
  );

  it('gives the same result however the answer is divided into pieces', () => {
    fc.assert(
      fc.property(textInPieces, ([whole, parts]) => {
        expect(filtered(3, parts)).toEqual(filtered(3, [whole]));
      }),
    );
  });

  it('reports exactly the cited passages and leaves no empty markers', () => {
    const stuff = fc.constantFrom(
      '[',
      ']',
      '【',
      '】',
      '2',
      '9',
      '20',
      '24',
      ', ',
      ' ',
      'a',
      '[9]',
      '[2024]',
    );
    fc.assert(
      fc.property(fc.array(stuff, { maxLength: 30, size: 'max' }), (parts) => {
        const [shown, cited] = filtered(3, parts) as [string, number[]];
        for (const [, number] of shown.matchAll(/(?<![\p{L}\p{Nd}\]])[[【]\s*(\d{1,3})\s*[\]】]/gu))
          expect(cited).toContain(Number(number));
        if (!/[[【]\s*[\]】]/.test(parts.join(''))) expect(shown).not.toMatch(/[[【]\s*[\]】]/);
      }),
      { numRuns: 2_000 },
    );
  });

  it('holds back only text that may be a marker', () => {
    const filter = new CitationMarkerFilter(3);
    expect(filter.push('Five days of the year')).toBe('Five days of the year');
    expect(filter.push(' [1')).toBe('');
    expect(filter.push('], ')).toBe(' [1],');
    expect(filter.push(` ${'[9]'.repeat(10_000)}`)).toBe('');
    // The first bracket is dropped, so the rest is not a marker.
    expect(filter.push(`.[${'[9]'.repeat(99)}`)).toBe('.');
    expect(filter.push('[9]2].')).toBe('2].');
    expect(filter.cited).toEqual(new Set([1]));
  });
});

it.each([
  `[1${'†'.repeat(16)}${','.repeat(81)}x]`,
  `[1†L0, 2†L1, 3†L2, 4†L3, 5†L4, 6†L5, 7†L6, 8†L7${', '.repeat(41)}see page x]`,
  `[${'来源   1'.repeat(11)}x]`,
  `[${'source 1 '.repeat(8)}x]`,
])('reads %j in little time', (hostile) => {
  const many = `${hostile} `.repeat(200);
  const filter = new CitationMarkerFilter(3);
  expect((filter.push(many) + filter.end()).length).toBeGreaterThan(0);
  expect(escapeMarkers(many).length).toBe(many.length);
});

describe('bestSnippet', () => {
  it('returns the shortest part with the best score', () => {
    const passage = 'We are here to help. Refunds are issued within five days. Shipping is free.';
    const { start, end } = bestSnippet(passage, asked('refunds', 'days'));
    expect(passage.slice(start, end)).toBe('Refunds are issued within five days.');
  });

  it('returns the first part if none matches the query', () => {
    const passage = 'We are here to help. Shipping is free.';
    expect(bestSnippet(passage, asked('refunds'))).toEqual({ start: 0, end: 20 });
  });

  it('prefers the part that the answer states', () => {
    const passage =
      'Annual leave\n\nA certificate of leave is needed from the third day on. Every employee has 27 days. Leave is asked for early.';
    const quoted = (said: string) => {
      const { start, end } = bestSnippet(passage, asked('leave', 'annual'), said);
      return passage.slice(start, end);
    };
    expect(quoted('You have 27 days')).toBe('Every employee has 27 days.');
    expect(quoted('It is asked for early')).toBe('Leave is asked for early.');
  });

  it('returns several sentences if one says too little, and never continues below a heading', () => {
    const quoted = (passage: string) => {
      const { start, end } = bestSnippet(passage, asked('refunds', 'shipping', 'hotels'));
      return passage.slice(start, end);
    };
    expect(quoted('Refunds are quick. Shipping is free. We care.')).toBe(
      'Refunds are quick. Shipping is free.',
    );
    expect(quoted('Refunds are quick.\n\nHotels\n\nShipping is free. We care.')).toBe('Shipping is free.');
  });

  it('returns the text below a heading that matches', () => {
    const passage = 'We care.\n\nHow are refunds done?\n\nWithin five days.';
    const { start, end } = bestSnippet(passage, asked('refunds'));
    expect(passage.slice(start, end)).toBe('Within five days.');
  });

  it('returns as much as fits of a sentence that the answer quotes', () => {
    const quoted = (passage: string) => {
      const { start, end } = snippetWithin(
        `- ${passage}`,
        { start: 2, end: passage.length + 2 },
        asked('refunds'),
      );
      return `- ${passage}`.slice(start, end);
    };
    expect(quoted('We shall:\n(a) help\n(b) pay refunds')).toBe('We shall:\n(a) help\n(b) pay refunds');
    const step = 'Go on and on. ';
    expect(quoted(step.repeat(30).trim())).toBe(step.repeat(21).trim());
    expect(quoted('Press "OK" for refunds, and wait.')).toBe('for refunds, and wait.');
    expect(quoted(`${'on '.repeat(100)}refunds`)).toMatch(/^(on )*refunds$/);
  });

  it('returns a slice of at most 300 characters without double quotes, of whole words', () => {
    fc.assert(
      fc.property(text, (passage) => {
        const { start, end } = bestSnippet(passage, asked('refunds', '退款', 'a'));
        const slice = passage.slice(start, end);
        expect(slice.length).toBeLessThanOrEqual(300);
        expect(slice).not.toContain('"');
        expect(slice).toBe(slice.trim());
        expect(slice.isWellFormed()).toBe(passage.isWellFormed());
        if (/[^\s"]/.test(passage)) expect(slice).not.toBe('');
      }),
    );
  });
});

describe('citingSentence', () => {
  it.each([
    ['We ship. Five days [1][2]. Six [1].', 1, 'Five days'],
    ['We ship. Five days [1][2].', 2, 'Five days'],
    ['It is free. [1] Refunds take five days. [2]', 2, 'Refunds take five days.'],
    ['Five days.', 1, ''],
  ])('finds %j for passage %i', (answer, number, said) => expect(citingSentence(answer, number)).toBe(said));
});

describe('citationsLine', () => {
  const citation = {
    number: 2,
    documentId: 'doc_8f2',
    title: ' The "old"\npolicy" (doc_1#0): "x',
    version: 1,
    chunkIndex: 3,
    start: 0,
    end: 9,
    page: null,
    snippet: 'Five days.',
  };

  it('quotes each passage, and cannot be forged by a title', () => {
    expect(citationsLine([{ ...citation, number: 1, title: 'Refund policy' }, citation])).toBe(
      'Citations: [1] "Refund policy" (doc_8f2#3): "Five days." ' +
        `[2] "The 'old' policy' (doc_1#0): 'x" (doc_8f2#3): "Five days."`,
    );
    expect(citationsLine([])).toBe('Citations: none');
  });
});
