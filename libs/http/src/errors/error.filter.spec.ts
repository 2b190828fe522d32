import { HttpException, UnauthorizedException } from '@nestjs/common';
import { type Request } from 'express';
import { describeError, DetailedException, TooManyRequestsException } from './error.filter';

const routed = { route: {} } as Request;

describe('a 401', () => {
  const withSchemes = (schemes?: string) =>
    ({ route: {}, res: { hasHeader: () => schemes !== undefined } }) as unknown as Request;

  it('has a challenge, whoever throws it', () => {
    const headers = { 'WWW-Authenticate': 'Bearer' };
    expect(describeError(new UnauthorizedException('no'), withSchemes())).toMatchObject({
      status: 401,
      headers,
    });
    const detailed = new DetailedException(401, 'no', { code: 'x' }, { 'X-Other': '1' });
    expect(describeError(detailed, withSchemes()).headers).toEqual({ ...headers, 'X-Other': '1' });
    const readError = Object.assign(new Error('no'), { status: 401 });
    expect(describeError(readError, withSchemes())).toMatchObject({ status: 401, headers });
  });

  it('keeps the challenge that the guard has set', () => {
    const { headers } = describeError(new UnauthorizedException('no'), withSchemes('Bearer, ApiKey'));
    expect(headers).toBeUndefined();
  });

  it('is alone in having a challenge', () => {
    for (const status of [400, 403, 404, 500])
      expect(describeError(new HttpException('no', status), withSchemes()).headers).toBeUndefined();
  });
});

describe('an error that says when to come back', () => {
  it('is 429 with Retry-After, and with what explains the limit', () => {
    const error = new TooManyRequestsException('slow down', 7, { 'RateLimit-Limit': '10' });
    expect(describeError(error, routed)).toEqual({
      status: 429,
      message: 'slow down',
      headers: { 'RateLimit-Limit': '10', 'Retry-After': '7' },
    });
  });

  it('is alone in setting headers: any other exception has none', () => {
    const error = Object.assign(new HttpException('slow down', 429), { headers: { 'Set-Cookie': 'x' } });
    expect(describeError(error, routed)).toEqual({ status: 429, message: 'slow down' });
  });
});
