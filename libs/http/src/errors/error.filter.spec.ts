import { HttpException } from '@nestjs/common';
import { type Request } from 'express';
import { describeError } from './error.filter';
import { TooManyRequestsException } from './too-many-requests.exception';

const routed = { route: {} } as Request;

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
