import { parseJsonBody, requireJson } from './json-body';

const parse = (text: string) => parseJsonBody(Buffer.from(text), true);

describe('JSON bodies', () => {
  it.each(['{', '', '{"a":1,}', '{"a": "\0"}'])('refuses %j', (text) => {
    expect(() => parse(text)).toThrow('the body is not valid JSON');
  });

  it('refuses what is not UTF-8', () => {
    expect(() => parseJsonBody(Buffer.from([0x22, 0xff, 0x22]))).toThrow('the body is not valid JSON');
  });

  it.each(['4.999999999999999999', '12345678901234567890', '1e400', '-0.1000000000000000055511151231257827'])(
    'refuses the number %s, which a double cannot hold',
    (number) => {
      expect(() => parse(`{"a": 1, "amount": [${number}]}`)).toThrow('amount.0: must not have more digits');
      expect(parseJsonBody(Buffer.from(number))).toBe(Number(number));
    },
  );

  it.each([
    '5.00000000000000000000',
    '1e3',
    '0.000000000001',
    '"4.999999999999999999"',
    '"\\"4.999999999999999999"',
  ])('takes %s', (text) => {
    expect(parse(text)).toEqual(JSON.parse(text));
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
