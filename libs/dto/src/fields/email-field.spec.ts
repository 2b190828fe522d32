import { timesAsLong } from '@inference/testing';
import { canonicalEmail } from './email-field';

it.each([
  [' Ann@Example.com ', 'ann@example.com'],
  ['ａｎｎ＠ｅｘａｍｐｌｅ．ｃｏｍ', 'ann@example.com'],
  ['ann@例子。example', 'ann@例子.example'],
  ['user@MÜLLER.example', 'user@müller.example'],
  ['user@xn--mller-kva.example', 'user@müller.example'],
  ['user@mu\u0308ller.example', 'user@müller.example'],
  ['用户@例子.中国', '用户@例子.中国'],
  ['用户@xn--fsqu00a.xn--fiqs8s', '用户@例子.中国'],
  ['user@straße.example', 'user@straße.example'],
  ['user@نامه\u200cای.example', 'user@نامه\u200cای.example'],
  ['\u202aann\u202c@\u200eexample.com\u200b', 'ann@example.com'],
  ["!#$%&'*+/=?^_`{|}~-@example.com", "!#$%&'*+/=?^_`{|}~-@example.com"],
  ["o'neil.a+b@mail.example.co.uk", "o'neil.a+b@mail.example.co.uk"],
  ['ann@1-800.example', 'ann@1-800.example'],
])('%j is stored as %j', (typed, stored) => {
  expect(canonicalEmail(typed)).toBe(stored);
  expect(canonicalEmail(stored)).toBe(stored);
});

it.each([
  '',
  'nobody',
  '@example.com',
  'a@',
  'a@b',
  'a@b.c\r\nBcc: d@e.f',
  'a b@example.com',
  '.a@example.com',
  'a.@example.com',
  'a..b@example.com',
  '"a b"@example.com',
  'a@b@example.com',
  'Ann <ann@example.com>',
  'a,b@example.com',
  'ann@127.0.0.1',
  'ann@[127.0.0.1]',
  'ann@example.0x10',
  'ann@example.com:25',
  'ann@example.com/x',
  'ann@ex%61mple.com',
  'ann@exa mple.com',
  'ann@-example.com',
  'ann@example..com',
  'ann@exam_ple.com',
  'ann@xn--a.example',
  'a\u0000b@example.com',
  'a\u115fb@example.com',
  `${'a'.repeat(250)}@example.com`,
  `ann@${'a'.repeat(64)}.example`,
  `ann@${'ü'.repeat(60)}.example`,
  `${'用'.repeat(82)}@example.com`,
])('%j is no address', (typed) => {
  expect(canonicalEmail(typed)).toBeNull();
});

it('is not slower for a domain of any length', async () => {
  const read = (characters: number) => () => {
    for (let run = 0; run < 200; run += 1) canonicalEmail(`a@${'例'.repeat(characters)}.example`);
  };
  const mostTimes = 20;
  expect(await timesAsLong(read(20_000), read(200), mostTimes)).toBeLessThan(mostTimes);
});
