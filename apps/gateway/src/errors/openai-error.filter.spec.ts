import { UnavailableException } from '@inference/http';
import { type ArgumentsHost, HttpException } from '@nestjs/common';
import { ExchangeRateMissingError } from '../proxy/admission/admission.service';
import { BillingUnavailableError, BillingUnknownError } from '../settlement/settlement-batcher';
import { speaksAnthropic } from './anthropic-error';
import { type OpenAiErrorBody } from './openai-error';
import { OpenAiErrorFilter } from './openai-error.filter';

function answerTo(error: unknown) {
  const answer = { status: 0, headers: {}, code: null as string | null };
  const response = {
    headersSent: false,
    status: (status: number) => Object.assign(response, (answer.status = status) && {}),
    set: (headers: object) => Object.assign(response, (answer.headers = headers) && {}),
    json: (body: OpenAiErrorBody) => void (answer.code = body.error.code),
  };
  const request = {
    route: {},
    path: '/v1/chat/completions',
    headers: {},
    res: { hasHeader: () => true },
    log: { error: () => undefined, warn: () => undefined },
  };
  const http = { getRequest: () => request, getResponse: () => response };
  new OpenAiErrorFilter().catch(error, { switchToHttp: () => http } as unknown as ArgumentsHost);
  return answer;
}

describe('a 503', () => {
  it.each([
    [new BillingUnavailableError(), 'billing_unavailable'],
    [new BillingUnknownError('req_1'), 'billing_unknown'],
    [new ExchangeRateMissingError(), 'exchange_rate_missing'],
    [Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }), 'database_unavailable'],
    [new Error('Query read timeout'), 'database_unavailable'],
    [new UnavailableException('the service holds too many large bodies', 'busy'), 'busy'],
  ])('%s has the code %s', (error, code) => {
    expect(answerTo(error)).toMatchObject({ status: 503, code });
  });

  it('asks not to be repeated if the request may have been charged, and only then', () => {
    expect(answerTo(new BillingUnknownError('req_1')).headers).toEqual({ 'x-should-retry': 'false' });
    expect(answerTo(new BillingUnavailableError()).headers).toEqual({});
  });
});

it('has no code for what has none', () => {
  expect(answerTo(new HttpException('no', 400)).code).toBeNull();
});

it.each([
  ['/v1/messages', false, true],
  ['/v1/messages/count_tokens', false, true],
  ['/v1/messages-of-others', true, false],
  ['/v1/models', true, true],
  ['/v1/models/a', true, true],
  ['/v1/models', false, false],
  ['/v1/chat/completions', true, false],
  ['/v1/responses', true, false],
])('%s, with the header of Anthropic: %s, answers in its shape: %s', (path, hasHeader, expected) => {
  const headers = hasHeader ? { 'anthropic-version': '2023-06-01' } : {};
  expect(speaksAnthropic({ path, headers, route: { path } })).toBe(expected);
});
