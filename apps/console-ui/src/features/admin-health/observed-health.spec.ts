import { observe } from './health-queries';

const memo = (status: 'ok' | 'unhealthy' | 'unavailable') => ({
  name: 'memo' as const,
  url: 'http://memo.test',
  status,
  latency_ms: null,
  message: null,
});
const at = (minute: number) => `2026-03-01T12:0${minute}:00.000Z`;
const sinceOf = (seen: ReturnType<typeof observe>) => seen.services[0]!.since;

describe('the health that a page has seen', () => {
  it('begins with the first answer', () => {
    expect(sinceOf(observe({ services: [memo('ok')], checked_at: at(0) }, undefined))).toBe(at(0));
  });

  it('keeps the time of a state while it lasts', () => {
    const first = observe({ services: [memo('unavailable')], checked_at: at(0) }, undefined);
    const second = observe({ services: [memo('unavailable')], checked_at: at(1) }, first);
    expect([sinceOf(second), second.checkedAt]).toEqual([at(0), at(1)]);
  });

  it('takes the time of a change', () => {
    const first = observe({ services: [memo('ok')], checked_at: at(0) }, undefined);
    const second = observe({ services: [memo('unavailable')], checked_at: at(1) }, first);
    expect(sinceOf(second)).toBe(at(1));
    expect(sinceOf(observe({ services: [memo('ok')], checked_at: at(2) }, second))).toBe(at(2));
  });
});
