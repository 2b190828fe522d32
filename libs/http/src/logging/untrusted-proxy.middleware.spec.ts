import { type Request, type Response } from 'express';
import { createLogger } from './logging';
import { warnOfUntrustedProxy } from './request-logger';

it('a proxy that is not configured is told of once', () => {
  const lines: string[] = [];
  const warn = warnOfUntrustedProxy(createLogger('test', 'info', { write: (line) => void lines.push(line) }));
  let passed = 0;
  const pass = (headers: Record<string, string>) =>
    warn({ headers } as unknown as Request, {} as Response, () => passed++);
  pass({});
  expect(lines).toEqual([]);
  pass({ 'x-forwarded-for': '192.0.2.1' });
  pass({ 'x-forwarded-for': '192.0.2.2' });
  expect([passed, lines.length]).toEqual([3, 1]);
  expect(lines[0]).toContain('TRUST_PROXY names no proxy');
  expect(lines[0]).not.toContain('192.0.2');
});
