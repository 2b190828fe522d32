import { formatDay } from './calendar-day';
import { typedDay } from './typed-day';

it.each(['en', 'zh-CN'] as const)('reads what the pages in %s show', (language) => {
  for (const day of ['2026-01-08', '2026-05-31', '2026-09-30', '2028-02-29', '2026-11-28'])
    expect(typedDay(formatDay(day, language), language)).toBe(day);
});

it.each([
  '2026-11-28',
  '2026/11/28',
  '2026.11.28',
  '2026年11月28日',
  '2026 年 11 月 28 日',
  '2026年11月28',
  '２０２６－１１－２８',
  ' 2026-11-28 ',
])('reads %s in both languages', (text) => {
  expect(typedDay(text, 'en')).toBe('2026-11-28');
  expect(typedDay(text, 'zh-CN')).toBe('2026-11-28');
});

it('takes a month or a day of one digit where the year comes first', () => {
  expect(typedDay('2026/1/8', 'zh-CN')).toBe('2026-01-08');
  expect(typedDay('2026年1月8日', 'zh-CN')).toBe('2026-01-08');
});

it.each([
  'Nov 28, 2026',
  'nov 28 2026',
  'November 28, 2026',
  'Nov. 28th, 2026',
  '28 Nov 2026',
  '28 november 2026',
])('reads %s in English only', (text) => {
  expect(typedDay(text, 'en')).toBe('2026-11-28');
  expect(typedDay(text, 'zh-CN')).toBeNull();
});

it.each([
  // The day and the month could be swapped, or could be for somebody else.
  '03/08/2026',
  '28/11/2026',
  '11/28/2026',
  '28.11.2026',
  '03-08-2026',
  // No such days.
  '2026-02-30',
  '2026-13-01',
  'Feb 30, 2026',
  'Nom 28, 2026',
  // Not complete, or of two kinds.
  '2026-11',
  'Nov 28',
  '26-11-28',
  '2026/11.28',
  '2026-11-28日',
  'tomorrow',
  '',
])('refuses %s', (text) => {
  expect(typedDay(text, 'en')).toBeNull();
  expect(typedDay(text, 'zh-CN')).toBeNull();
});
