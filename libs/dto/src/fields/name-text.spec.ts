import { nameFault } from './name-text';

const CONTROLS = 'must be one line without control characters';
const INVISIBLE = 'must not contain invisible characters or marks of direction';

describe('a name', () => {
  it.each([
    'production',
    'Ann’s key (2026) — test',
    '=1+1',
    '上海某某信息技术有限公司',
    'مفتاح',
    'می\u200cخواهم',
    'क्\u200dष',
    '葛\u{e0100}',
    '👨\u200d👩\u200d👧',
    '❤\ufe0f\u200d🔥',
    'Constructor',
    'my__proto__',
    '',
  ])('may be %j', (text) => expect(nameFault(text)).toBeNull());

  it.each([
    ['a\nb', CONTROLS],
    ['a\u0000', CONTROLS],
    ['\u001b[2J', CONTROLS],
    ['a\u0085b', CONTROLS],
    ['a\u009bb', CONTROLS],
    ['a\u007f', CONTROLS],
    ['a\u2028b', CONTROLS],
    ['a\u2029b', CONTROLS],
    ...[
      ...['\u061c', '\u200b', '\u200c', '\u200d', '\u200e', '\u200f', '\u202a', '\u202b', '\u202c', '\u202d'],
      ...['\u202e', '\u2060', '\u2066', '\u2067', '\u2068', '\u2069', '\ufeff', '\u00ad', '\u3164', '\ufffa'],
      ...['\ufe0f\ufe0f', '\u{e0041}', '\u{e0100}'],
    ].map((hidden): [string, string] => [`a${hidden}b`, INVISIBLE]),
    ['\u202eexe.txt', INVISIBLE],
    ['\u200d', INVISIBLE],
    ['\ufe0fa', INVISIBLE],
    ['ключ\u200dа', INVISIBLE],
    ['__proto__', 'must not be __proto__'],
    ['constructor', 'must not be constructor'],
    ['prototype', 'must not be prototype'],
  ])('may not be %j: %s', (text, fault) => expect(nameFault(text)).toBe(fault));
});
