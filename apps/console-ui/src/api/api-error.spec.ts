import { Figure } from '../figures/figure';
import { ApiError, apiErrorOf, connectionError, toApiError } from './api-error';

const answer = (status: number, headers: Record<string, string> = {}) => ({
  status,
  headers: new Headers(headers),
});

describe('the error of an answer', () => {
  it('has status, message, request id and wait', () => {
    const headers = { 'X-Request-Id': 'req_1', 'Retry-After': '7' };
    const error = apiErrorOf(answer(429, headers), { error: 'too many requests', code: 'busy' });
    expect(error).toMatchObject({
      status: 429,
      detail: 'too many requests',
      requestId: 'req_1',
      retryAfterSeconds: 7,
      code: 'busy',
      isTransient: true,
    });
  });

  it('reads the shapes of all services', () => {
    expect(apiErrorOf(answer(402), { error: { message: 'no credit' } }).detail).toBe('no credit');
    expect(apiErrorOf(answer(403), { code: 1, data: {}, message: 'not allowed' }).detail).toBe('not allowed');
    expect(apiErrorOf(answer(503), { code: Figure.of('50301'), data: {}, message: 'no price' }).code).toBe(
      '50301',
    );
    expect(apiErrorOf(answer(502), undefined).detail).toBe('HTTP 502');
    const suspended = { error: 'suspended', suspended_at: '2026-01-01T00:00:00Z', suspension_message: 'Why' };
    expect(apiErrorOf(answer(403), { ...suspended, contact: null }).suspension).toEqual({
      message: 'Why',
      contact: null,
    });
    expect(apiErrorOf(answer(403), { error: 'no' }).suspension).toBeUndefined();
  });

  it('names the refused fields', () => {
    const error = apiErrorOf(answer(400), { error: 'name: is missing; spend_limit: must be positive' });
    expect(error.fieldMessages).toEqual({ name: 'is missing', spend_limit: 'must be positive' });
    expect(apiErrorOf(answer(409), { error: 'name: taken' }).fieldMessages).toEqual({});
  });

  it('has a status of its own without a connection, and for a fault of the pages', () => {
    expect(toApiError(new TypeError('x is undefined'))).toMatchObject({ status: 500, isTransient: false });
    expect(connectionError(new TypeError('Failed to fetch'))).toMatchObject({ status: 0, isTransient: true });
    const known = new ApiError({ status: 404, detail: 'not found' });
    expect(toApiError(known)).toBe(known);
  });

  it('has what the wallet lacks, of every service', () => {
    const missing = (body: unknown) => apiErrorOf(answer(402), body).missingAmount?.toString();
    expect(missing({ error: { message: 'no', missing_amount: '0.225' } })).toBe('0.225');
    expect(missing({ error: 'no', missing_amount: '3' })).toBe('3');
    for (const amount of ['', '-1', '1e400', 5, null])
      expect(missing({ missing_amount: amount })).toBeUndefined();
  });
});
