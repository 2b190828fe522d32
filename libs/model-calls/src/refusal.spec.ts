import { brokenOff, refusalOf } from './refusal';

const body = (code: string) => JSON.stringify({ error: { code, message: 'no' } });

it('may be retried unless the call may have been charged', () => {
  expect(refusalOf(503, body('billing_unavailable'), undefined)).toMatchObject({ retryable: true });
  expect(refusalOf(503, body('billing_unknown'), undefined)).toMatchObject({ retryable: false });
  expect(brokenOff('billing_unknown', 'no')).toMatchObject({ retryable: false });
  expect(brokenOff()).toMatchObject({ retryable: true });
});
