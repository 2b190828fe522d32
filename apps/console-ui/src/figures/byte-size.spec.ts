import { Figure } from './figure';
import { formatBytes, formatExactBytes } from './format-figure';

describe('a number of bytes', () => {
  it.each([
    ['0', '0 bytes'],
    ['1', '1 byte'],
    ['999', '999 bytes'],
    ['1000', '1 kB'],
    ['1048576', '1 MB'],
    ['4920739232', '4.9 GB'],
    ['1500000000000', '1.5 TB'],
  ])('%s is shown as %s', (bytes, shown) => {
    expect(formatBytes(Figure.of(bytes), 'en')).toBe(shown);
  });

  it('keeps all digits where it is exact', () => {
    expect(formatExactBytes(Figure.of('9007199254740993'), 'en')).toBe('9,007,199,254,740,993 bytes');
  });
});
