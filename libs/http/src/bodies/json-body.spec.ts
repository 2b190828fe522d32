import { timesAsLong } from '@inference/testing';
import { parseJsonBody, requireJson } from './body.guard';

const parse = (text: string) => parseJsonBody(Buffer.from(text), true);

describe('JSON bodies', () => {
  it.each(['{', '', '{"a":1,}', '{"a": "\0"}'])('refuses %j', async (text) => {
    await expect(parse(text)).rejects.toMatchObject({ status: 400, message: 'the body is not valid JSON' });
  });

  it('refuses what is not UTF-8', async () => {
    await expect(parseJsonBody(Buffer.from([0x22, 0xff, 0x22]))).rejects.toThrow(
      'the body is not valid JSON',
    );
  });

  it('takes a byte order mark', async () => {
    expect(await parse('\ufeff{"a":1}')).toEqual({ a: 1 });
  });

  it.each([
    ['depth', '['.repeat(101) + ']'.repeat(101), 'the body must not be nested more than 100 levels deep'],
    ['names', `{${'"a":1,'.repeat(100_000)}"a":1}`, 'the body must not have more than 100000 names'],
    ['values', `[${'1,'.repeat(1_000_000)}1]`, 'the body must not have more than 1000000 values'],
    ['digits', '1'.repeat(70_000), 'the body must not have names or numbers of more than 65536 bytes'],
  ])('refuses too many or too much: %s', async (_what, text, message) => {
    await expect(parse(text)).rejects.toMatchObject({ status: 400, message });
  });

  it('refuses a number of many zeros in time that grows with its length', async () => {
    const numbersOf = (count: number, zeros: number) => `[${`1${'0'.repeat(zeros)}1,`.repeat(count)}1]`;
    const refusalOf = (numbers: string) =>
      expect(parse(numbers)).rejects.toThrow('0: must not have more digits');
    // An expression that tries each zero takes a hundred times as long.
    const mostTimes = 20;
    const times = await timesAsLong(
      () => refusalOf(numbersOf(16, 60_000)),
      () => refusalOf(numbersOf(1_600, 600)),
      mostTimes,
    );
    expect(times).toBeLessThan(mostTimes);
  });

  it('repeats little of a long path', async () => {
    await expect(parse(`{"${'n'.repeat(60_000)}":1e400}`)).rejects.toThrow(
      /^n{100}…: must not have more digits/,
    );
  });

  it.each(['4.999999999999999999', '12345678901234567890', '1e400', '-0.1000000000000000055511151231257827'])(
    'refuses the number %s, which a double cannot hold',
    async (number) => {
      await expect(parse(`{"a": 1, "amount": [${number}]}`)).rejects.toThrow(
        'amount.0: must not have more digits',
      );
      expect(await parseJsonBody(Buffer.from(number))).toBe(Number(number));
    },
  );

  it.each([
    '5.00000000000000000000',
    '1e3',
    '0.000000000001',
    '"4.999999999999999999"',
    '"\\"4.999999999999999999"',
  ])('takes %s', async (text) => {
    expect(await parse(text)).toEqual(JSON.parse(text));
  });

  it.each(['application/json', 'application/problem+json; charset="UTF-8"'])(
    'takes the content type %s',
    (type) => {
      expect(() => requireJson(type)).not.toThrow();
    },
  );

  it.each([undefined, 'text/plain', 'application/jsonp', 'application/json; charset=utf-16'])(
    'refuses the content type %s',
    (type) => {
      expect(() => requireJson(type)).toThrow();
    },
  );
});
