import { type KeyboardEvent } from 'react';

/** What Safari reports of the key that ended a composition. */
const COMPOSING_KEY_CODE = 229;

/** Enter sends. With Shift it begins a line, and it also ends the composition of Chinese characters. */
export const isSendKey = ({ key, shiftKey, keyCode, nativeEvent }: KeyboardEvent): boolean =>
  key === 'Enter' && !shiftKey && !nativeEvent.isComposing && keyCode !== COMPOSING_KEY_CODE;
