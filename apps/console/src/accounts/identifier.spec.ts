import { normalizeIdentifier, normalizePhone } from './identifier';

describe('a phone number', () => {
  it.each([
    ['+1 (415) 555-0123', '+14155550123'],
    ['＋１４１５５５５０１２３', '+14155550123'],
    ['\u202a+1\u00a0415\u2011555\u20130123\u202c', '+14155550123'],
    ['+1（415）555－0123', '+14155550123'],
  ])('is read from %j', (text, phone) => {
    expect(normalizePhone(text, 'intl')).toBe(phone);
  });

  it.each(['１３８ ００１３ ８０００', '138-0013-8000', '138\u22120013\u22128000', '\u200e13800138000'])(
    'of China needs no country code: %j',
    (text) => {
      expect(normalizePhone(text, 'cn')).toBe('+8613800138000');
      expect(normalizePhone(text, 'intl')).toBeNull();
    },
  );

  it.each(['', '+', '+0123456789', '+1415', '+1415555012345678', '١٢٣٤٥٦٧٨', 'ann@example.com'])(
    'is not read from %j',
    (text) => {
      expect(normalizePhone(text, 'intl')).toBeNull();
    },
  );
});

it.each([
  [' Ann@Example.com\u200b', 'ann@example.com'],
  ['ａｎｎ＠ｅｘａｍｐｌｅ．ｃｏｍ', 'ann@example.com'],
  ['\u202aann\u202c', 'ann'],
  ['User@XN--MLLER-KVA.example', 'user@müller.example'],
  ['＋１ ４１５ ５５５ ０１２３', '+14155550123'],
])('a sign-in with %j is one of %s', (text, identifier) => {
  expect(normalizeIdentifier(text, 'intl')).toBe(identifier);
});
