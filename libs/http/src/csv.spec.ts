import { csvLine } from './csv';

describe('csvLine', () => {
  it.each([
    [['a', '0.002468', ''], 'a,0.002468,\r\n'],
    [['by,"request"', 'b'], '"by,""request""",b\r\n'],
    [['two\nlines', 'and\rmore'], '"two\nlines","and\rmore"\r\n'],
  ])('quotes %j where necessary', (values, line) => expect(csvLine(values)).toBe(line));
});
