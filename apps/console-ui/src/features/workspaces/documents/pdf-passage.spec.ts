import { findOnPage, pagesFrom } from './pdf-passage';

const LINES = ['Refunds are issued with-', 'in five days of the', 'return.', '', 'Parcels are sent.'];

it('finds a passage over lines, hyphens and other spaces', () => {
  expect(findOnPage(LINES, 'Refunds are  issued within five\ndays of the return.')).toEqual({
    share: 1,
    marks: [
      { item: 0, from: 0, to: 1 },
      { item: 1, from: 0, to: 6 / 15 },
      { item: 1, from: 6 / 15, to: 1 },
      { item: 2, from: 0, to: 1 },
    ],
  });
});

it('marks a part of a line', () => {
  const { marks } = findOnPage(['Parcels are sent on Mondays'], 'sent on Mondays');
  expect(marks).toEqual([{ item: 0, from: 10 / 23, to: 1 }]);
});

it('finds the part of a passage that is on the page', () => {
  const passage = `${'Refunds are issued within five days of the return. '.repeat(2)}\nThe rest is on the next page, as it is long.`;
  const { share, marks } = findOnPage(['The rest is on the next page,', 'as it is long.'], passage);
  expect(marks.map(({ item }) => item)).toEqual([0, 1]);
  expect(share).toBeGreaterThan(0.2);
  expect(share).toBeLessThan(0.5);
});

it('marks words once that the passage has more often', () => {
  const { marks } = findOnPage(
    ['House rules', 'Dogs are welcome.'],
    'House rules\nDogs are welcome.\nHouse rules',
  );
  expect(marks.map(({ item }) => item)).toEqual([0, 1]);
});

it('finds Chinese, and no passage that is not there', () => {
  expect(findOnPage(['退款在五天', '内发放。'], '退款在五天内发放。').share).toBe(1);
  expect(findOnPage(LINES, 'Zebras cross rivers.')).toEqual({ marks: [], share: 0 });
  expect(findOnPage(LINES, ' \n ')).toEqual({ marks: [], share: 0 });
});

it('looks at the likely page first, then around it', () => {
  expect(pagesFrom(3, 5)).toEqual([3, 2, 4, 1, 5]);
  expect(pagesFrom(9, 2)).toEqual([2, 1]);
});
