import { brokenOff, refusalOf } from './refusal';

const body = (code: string) => JSON.stringify({ error: { code, message: 'no' } });

it('may be retried unless the call may have been charged', () => {
  expect(refusalOf(503, body('billing_unavailable'), undefined)).toMatchObject({ retryable: true });
  expect(refusalOf(503, body('billing_unknown'), undefined)).toMatchObject({ retryable: false });
  expect(brokenOff('billing_unknown', 'no')).toMatchObject({ retryable: false });
  expect(brokenOff()).toMatchObject({ retryable: true });
});

it('says what a wallet lacks, without a field that the caller does not have', () => {
  const error = {
    code: 'insufficient_balance',
    message: 'Lower max_tokens.',
    available_amount: '0.12',
    required_amount: '0.345',
    missing_amount: '0.225',
    currency: 'USD',
    top_up_url: 'https://console.test/top-up?amount=0.23',
  };
  expect(refusalOf(402, JSON.stringify({ error }), undefined)).toEqual({
    status: 402,
    code: 'insufficient_balance',
    message:
      'The wallet has 0.12 USD free, but this answer can cost up to 0.345 USD. Top up at least 0.225 USD.',
    retryable: false,
    shortfall: { missing_amount: '0.225', top_up_url: error.top_up_url },
  });
  expect(refusalOf(402, body('insufficient_balance'), undefined)).not.toHaveProperty('shortfall');
  for (const broken of ['', '[]', '{"error": null}', '{"error": "no"}', 'null'])
    expect(refusalOf(402, broken, undefined)).toMatchObject({ status: 402, code: 'model_error' });
});

it('tells the fault of a key from that of the service that uses it', () => {
  for (const code of ['on_behalf_unknown', 'api_key_suspended', 'api_key_disabled', 'api_key_expired'])
    expect(refusalOf(401, body(code), undefined)).toMatchObject({
      status: 401,
      code: 'api_key_gone',
      retryable: false,
    });
  for (const text of [body('invalid_api_key'), ''])
    expect(refusalOf(401, text, undefined)).toMatchObject({ code: 'gateway_unavailable', retryable: true });
});

it('may be retried after a limit that says when', () => {
  const limited = JSON.stringify({
    error: { code: 'rate_limit_exceeded', limit: 'key_tokens_per_minute', message: 'no' },
  });
  expect(refusalOf(429, limited, '5')).toMatchObject({ retryable: true, retryAfter: '5' });
  expect(refusalOf(429, limited, undefined)).toMatchObject({
    retryable: false,
    limit: 'key_tokens_per_minute',
  });
  expect(refusalOf(429, body('rate_limit_exceeded'), undefined)).toMatchObject({ retryable: true });
});
