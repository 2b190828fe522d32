import { describeError } from '@inference/http';
import { refusal } from '@inference/model-calls';
import { refusalError } from './event-posting.service';

it.each([
  [401, undefined, { 'WWW-Authenticate': 'Bearer, ApiKey' }],
  [402, undefined, {}],
  [429, undefined, { 'Retry-After': '1' }],
  [429, '7', { 'Retry-After': '7' }],
  [503, '2', { 'Retry-After': '2' }],
])('%i with the pause %s has the headers that the API document promises', (status, retryAfter, headers) => {
  const refused = { ...refusal(status, 'code', 'Why.'), ...(retryAfter !== undefined && { retryAfter }) };
  expect(describeError(refusalError(refused, 'turn_1'), {} as never)).toEqual({
    status,
    message: 'Why.',
    details: { code: 'code', turn_id: 'turn_1' },
    headers,
  });
});
