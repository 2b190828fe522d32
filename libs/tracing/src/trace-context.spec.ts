import { readTraceId } from './tracing';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('traceparent', () => {
  it.each([
    `00-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-00`,
    // A later version may add parts.
    `01-${TRACE}-${SPAN}-01-more`,
    `cc-${TRACE}-${SPAN}-09`,
  ])('is read: %s', (header) => expect(readTraceId(header)).toBe(TRACE));

  it.each([
    undefined,
    '',
    ['00'],
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE}-${SPAN}-01-`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-0g`,
  ])('is ignored if it is %p', (header) => expect(readTraceId(header)).toBeUndefined());
});
