import { type NativeCall } from '../../proxy/native-call';
import { parseExact, stringifyExact } from '@inference/money';
import { type OpenAiErrorBody } from '../../errors/openai-error';
import { type AnswerParts } from './answer-parts';
import { type AnswerWriter, ChatTranslation } from './chat-translation';
import { readAnswerUsage } from './chat-usage';

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
  const translation = new ChatTranslation(writer as unknown as AnswerWriter, true, 'req_1', {} as NativeCall);
  expect(translation.refusal(422, Buffer.from(body)).body).toBe(message);
});

const PRICE =
  '"cost":12345678901.123456789012,"cost_details":[{"meter":"input","quantity":1.000000000001,"unit":"per_request","price":0.1,"cost":12345678901.123456789012}]';
const CHOICES = '"choices":[{"message":{"content":"\\"cost\\":1,\\"cost_details\\":[]"}}]';

it.each<[string, (translation: ChatTranslation) => string]>([
  [
    'an answer',
    (translation) => translation.plain({ usage: parseExact(`{"prompt_tokens":1,${PRICE}}`) }).body,
  ],
  [
    'the events of a stream',
    (translation) => translation.end(`data: {${CHOICES},"usage":{"prompt_tokens":1,${PRICE}},"x":[]}\n\n`),
  ],
])('keeps every digit of the price of %s', (_what, translated) => {
  let told = '';
  const tell = (answer: AnswerParts) => (told = stringifyExact(readAnswerUsage(answer.usage!).cost));
  const ignore = () => undefined;
  const parts = { open: ignore, add: ignore, close: ignore, begin: ignore };
  const writer = { ...parts, whole: tell, finish: tell, take: () => told };
  const translation = new ChatTranslation(
    writer as unknown as AnswerWriter,
    false,
    'req_1',
    {} as NativeCall,
  );
  expect(translated(translation)).toBe(`{${PRICE}}`);
});
