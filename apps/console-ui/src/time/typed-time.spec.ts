import { typedTime } from './typed-day';

it.each([
  ['09:30', '09:30'],
  ['9:30', '09:30'],
  [' 23:59 ', '23:59'],
  ['０９：３０', '09:30'],
  ['24:00', null],
  ['09:60', null],
  ['9:3', null],
  ['9:30 pm', null],
  ['0930', null],
  ['', null],
])('reads %s as %s', (typed, expected) => expect(typedTime(typed)).toBe(expected));
