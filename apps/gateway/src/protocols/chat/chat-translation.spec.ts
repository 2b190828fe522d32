import { type OpenAiErrorBody } from '../../errors/openai-error';
import { type AnswerWriter, ChatTranslation } from './chat-translation';

const REFUSED = 'The model’s server refused the request (status 422).';

it.each([
  ['an error as OpenAI’s', '{"error":{"message":"Too long."}}', 'Too long.'],
  ['an error as a text', '{"error":"Too long."}', 'Too long.'],
  ['an error without a message', '{"error":{"message":""}}', REFUSED],
  ['a detail as a text', '{"detail":"Not Found"}', 'Not Found'],
  [
    'the faults of FastAPI',
    '{"detail":[{"loc":["body","n"],"msg":"Field required"},{"msg":"Too long"},{"msg":7},null]}',
    `${REFUSED} Field required; Too long`,
  ],
  ['a text', ' upstream connect error\n', `${REFUSED} upstream connect error`],
  ['a long text', 'x'.repeat(1_000), `${REFUSED} ${'x'.repeat(300)}`],
  ['a page', '<html><body>Bad Gateway</body></html>', REFUSED],
  ['bytes', '\0\x01', REFUSED],
  ['nothing', '', REFUSED],
])('says why a chat server refuses: %s', (_title, body, message) => {
  const writer = { refusal: (_status: number, error: OpenAiErrorBody) => error.error.message };
  const translation = new ChatTranslation(writer as unknown as AnswerWriter, true, 'req_1');
  expect(translation.plain(422, Buffer.from(body)).body).toBe(message);
});
