/** Texts that no field of a name accepts, each beside its reason. */
export const HOSTILE_NAMES: [why: string, text: string][] = [
  ['a control character', 'a\u0007b'],
  ['a C1 control character', 'a\u009bb'],
  ['a line separator', 'a\u2028b'],
  ['a mark of direction', 'a\u202eb'],
  ['an isolate', 'a\u2066b'],
  ['an Arabic letter mark', 'a\u061cb'],
  ['a zero-width space', 'a\u200bb'],
  ['a byte order mark', 'a\ufeffb'],
  ['__proto__', '__proto__'],
  ['constructor', 'constructor'],
  ['prototype', 'prototype'],
];
