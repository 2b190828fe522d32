import { csvLine, exactCsvLine } from './long-list';

describe('csvLine', () => {
  it.each([
    [['a', '0.002468', ''], 'a,0.002468,\r\n'],
    [['by,"request"', 'b'], '"by,""request""",b\r\n'],
    [['two\nlines', 'and\rmore'], '"two\nlines","and\rmore"\r\n'],
    [['-1.5', '-12', '0.5', '2026-01-31T00:00:00Z'], '-1.5,-12,0.5,2026-01-31T00:00:00Z\r\n'],
    [['=1+1', '+1', '-a', '@SUM(A1)'], "'=1+1,'+1,'-a,'@SUM(A1)\r\n"],
    [['-1+1', '-1.', '--1', '-1e5', '-'], "'-1+1,'-1.,'--1,'-1e5,'-\r\n"],
    [['\t=1', '\r=1', '\n=1'], "'\t'=1,\"'\r'=1\",\"'\n'=1\"\r\n"],
    [['=HYPERLINK("x","y")'], '"\'=HYPERLINK(""x"",""y"")"\r\n'],
    [['＝1', '＋1', '－1', '＠a'], "'＝1,'＋1,'－1,'＠a\r\n"],
    [['a=1', "'a", ' =1'], "a=1,'a, =1\r\n"],
    [['x;=1+1;y', 'a;b', 'c;-1'], "x;'=1+1;y,a;b,c;'-1\r\n"],
    [['a,b;=1', 'a\tb\t@x'], '"a,b;\'=1",a\tb\t\'@x\r\n'],
    [['two\r\n=1+1', '=1;=2'], "\"two\r\n'=1+1\",'=1;'=2\r\n"],
  ])('quotes %j where necessary, and makes no formula', (values, line) => expect(csvLine(values)).toBe(line));
});

describe('exactCsvLine', () => {
  it('quotes where necessary, and changes no value', () =>
    expect(exactCsvLine(['=1+1', '-a', "'b", '', 'by,"request"', 'two\nlines'])).toBe(
      `=1+1,-a,'b,,"by,""request""","two\nlines"\r\n`,
    ));
});
