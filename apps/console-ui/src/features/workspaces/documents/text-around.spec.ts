import { textAround } from './document-queries';

const TEXT = 'one two three four';

it('marks a place and cuts what is far from it', () => {
  expect(textAround(TEXT, { start: 4, end: 7 }, 3)).toEqual({
    before: 'ne ',
    marked: 'two',
    after: ' th',
    isCut: true,
  });
});

it('has all of the text if it is near enough, and counts in UTF-16 units', () => {
  expect(textAround('😀 two', { start: 3, end: 6 }, 100)).toEqual({
    before: '😀 ',
    marked: 'two',
    after: '',
    isCut: false,
  });
});

it('marks nothing without a place', () => {
  expect(textAround(TEXT, { start: 0, end: 0 }, 7)).toEqual({
    before: '',
    marked: '',
    after: 'one two',
    isCut: true,
  });
});
