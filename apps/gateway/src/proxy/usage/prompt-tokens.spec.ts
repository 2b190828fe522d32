import { inputTokensOf } from '@inference/metering';
import { timesAsLong } from '@inference/testing';
import { estimateTokens } from '@inference/tokens';
import { boundsOf } from '../request/token-bounds';
import { meteredUsage } from './metered-usage';
import { NOTHING_PRODUCED } from './produced';
import { promptTokens } from './prompt-tokens';
import { base64, chat, png, requestOf, tokensOf, wav } from './prompt.fixture';
import { readReportedUsage } from './reported-usage';

const words = (count: number) => Array.from({ length: count }, (_, i) => `word${i % 7}`).join(' ');
const TEXT = words(100);
const TEXT_TOKENS = estimateTokens(TEXT);
const EMPTY = chat({});

describe('the tokens of a prompt', () => {
  it('are one for each token id', () => {
    const ids = Array.from({ length: 50_000 }, (_, i) => i * 7);
    expect(tokensOf('completions', { prompt: ids })).toBe(50_000);
    expect(tokensOf('embeddings', { input: ids })).toBe(50_000);
    expect(tokensOf('completions', { prompt: [ids, ids] })).toBe(100_000);
  });

  it('are those of each text of a list', () => {
    expect(tokensOf('completions', { prompt: [TEXT, TEXT] })).toBeGreaterThanOrEqual(2 * TEXT_TOKENS);
    expect(tokensOf('embeddings', { input: [TEXT, TEXT] })).toBeGreaterThanOrEqual(2 * TEXT_TOKENS);
  });

  it.each([
    ['content', { content: TEXT }],
    ['parts of the content', { content: [{ type: 'text', text: TEXT }] }],
    ['a text as a part', { content: [TEXT] }],
    ['a refusal', { content: [{ type: 'refusal', refusal: TEXT }] }],
    ['reasoning_content', { reasoning_content: TEXT }],
    ['reasoning', { reasoning: TEXT }],
    ['a name', { name: TEXT }],
    ['the role', { role: TEXT }],
    ['the id of a call', { tool_call_id: TEXT }],
    [
      'calls of tools',
      { tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: TEXT } }] },
    ],
    ['names of called tools', { tool_calls: [{ function: { name: TEXT, arguments: '{}' } }] }],
    ['ids of calls', { tool_calls: [{ id: TEXT, function: { name: 'f', arguments: '{}' } }] }],
    ['calls of custom tools', { tool_calls: [{ type: 'custom', custom: { name: 'f', input: TEXT } }] }],
    ['the call of a function', { function_call: { name: 'f', arguments: TEXT } }],
    ['an unknown field', { thinking: { signature: TEXT } }],
    ['an unknown part', { content: [{ type: 'note', deep: { deeper: [TEXT] } }] }],
    [
      'a field beside a picture',
      { content: [{ type: 'image_url', image_url: { url: 'x' }, caption: TEXT }] },
    ],
  ])('of a message include %s', (_, message) => {
    expect(chat(message)).toBeGreaterThanOrEqual(TEXT_TOKENS);
  });

  it.each([
    ['tools', [{ type: 'function', function: { name: 'f', description: TEXT, parameters: {} } }]],
    ['functions', [{ name: 'f', parameters: { properties: { a: { description: TEXT } } } }]],
    ['response_format', { type: 'json_schema', json_schema: { schema: { description: TEXT } } }],
    ['documents', [{ title: 'a', text: TEXT }]],
    ['documents', [TEXT]],
    ['suffix', TEXT],
    ['prediction', { type: 'content', content: TEXT }],
    ['guided_json', { properties: { a: { enum: [TEXT] } } }],
    ['chat_template_kwargs', { system: TEXT }],
  ])('include the field %s', (field, value) => {
    const added = chat({}, { [field]: value }) - EMPTY;
    expect(added).toBeGreaterThanOrEqual(TEXT_TOKENS);
    expect(added).toBeLessThanOrEqual(2 * TEXT_TOKENS);
  });

  it.each([
    ['model', 'a'.repeat(200)],
    ['stop', [TEXT]],
    ['user', TEXT],
    ['metadata', { note: TEXT }],
    ['logit_bias', { 1: 100, 2: -100 }],
    ['tool_choice', { type: 'function', function: { name: 'f' } }],
    ['temperature', 0.5],
    ['ignore_eos', true],
    ['stop', null],
  ])('do not include the parameter %s', (field, value) => {
    expect(chat({}, { [field]: value })).toBe(EMPTY);
  });

  it('are a quarter of the bytes of an unknown part at least, even if a tokenizer finds less', () => {
    const data = 'A'.repeat(200_000);
    expect(chat({ content: [{ type: 'scan', data }] })).toBeGreaterThanOrEqual(50_000);
    expect(chat({ content: [{ type: 'file', file: { file_data: base64(3_000) } }] })).toBeGreaterThanOrEqual(
      1_000,
    );
  });

  it.each([
    [{ type: 'video_url', video_url: { url: 'https://example.com/v.mp4' } }],
    [{ type: 'file', file: { file_id: 'file-1' } }],
    [{ type: 'audio_url', audio_url: { url: 'https://example.com/a.mp3' } }],
  ])('are all that was reserved if the content is elsewhere: %j', (part) => {
    expect(chat({ content: [part] })).toBe(Infinity);
  });

  it('include fields of a long body that the gateway does not read', () => {
    const url = `data:image/png;base64,${'A'.repeat(150_000)}`;
    const message = { content: [{ type: 'image_url', image_url: { url } }] };
    const added = chat(message, { guided_json: { enum: [TEXT] } }) - chat(message);
    expect(added).toBeGreaterThanOrEqual(TEXT.length / 4);
    expect(added).toBeLessThanOrEqual(TEXT.length / 3);
  });

  it.each<[string, object]>([
    ['texts', { content: Array.from({ length: 500_000 }, () => 'a') }],
    ['objects', { content: Array.from({ length: 500_000 }, () => ({})) }],
    ['numbers', { details: Array.from({ length: 900_000 }, () => 7) }],
    ['arguments', { tool_calls: Array.from({ length: 500_000 }, () => 'a') }],
  ])(
    'are a quarter of the bytes of a body with very many %s, which are not counted one by one',
    async (_, message) => {
      const request = requestOf('chat/completions', { messages: [message] });
      expect(promptTokens(request)).toBe(Math.ceil(request.raw.length / 4));
      // Measured: one at most. Texts that are counted one by one take ten times as long.
      const mostTimes = 4;
      const times = await timesAsLong(
        () => promptTokens(request),
        () => JSON.stringify(message),
        mostTimes,
      );
      expect(times).toBeLessThan(mostTimes);
    },
  );

  it('are not all that was reserved for a text that mentions an address', () => {
    const content = [
      { type: 'text', text: 'https://example.com/a' },
      { type: 'note', note: 'says "https://example.com/a" there' },
    ];
    expect(chat({ content })).toBeLessThan(50);
  });

  it('are all that was reserved for audio of an earlier answer', () => {
    expect(chat({ role: 'assistant', audio: { id: 'audio_1' } })).toBe(Infinity);
  });
});

/** Mulberry32: the same requests in each run. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Of `estimateTokens`. */
const SLICE_CHARS = 256;
const WORDS = [
  'sea',
  'harbour',
  'Lisbon',
  'navegação',
  '海港',
  'x'.repeat(30),
  '3.14159',
  '{"a":[1,2]}',
  '\n\n',
  '    ',
];

describe('what a client pays that leaves', () => {
  it('is never above what was reserved and never below its texts, for any request', () => {
    const random = generator(4_300);
    const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
    const texts: string[] = [];
    const text = () => {
      const made = `${Array.from({ length: 1 + random() * 30 }, () => pick(WORDS)).join(' ')} end`;
      texts.push(made);
      return made;
    };
    const PARTS: (() => unknown)[] = [
      () => ({ type: 'text', text: text() }),
      () => ({ type: 'image_url', image_url: { url: pick([png(900, 700), 'https://example.com/a', '']) } }),
      () => ({ type: 'input_audio', input_audio: { data: wav(1), format: 'wav' } }),
      () => ({ type: pick(['note', 'file']), value: [text(), { more: text() }] }),
      () => ({ type: 'video_url', video_url: { url: 'https://example.com/v' } }),
    ];
    const FIELDS: Record<string, () => unknown> = {
      content: () => pick([text, () => [pick(PARTS)(), pick(PARTS)()], () => null])(),
      reasoning_content: text,
      name: text,
      tool_calls: () => [{ id: 'c', type: 'function', function: { name: text(), arguments: text() } }],
      details: () => ({ a: [text()] }),
    };
    const some = (fields: Record<string, () => unknown>) =>
      Object.fromEntries(
        Object.entries(fields)
          .filter(() => random() < 0.4)
          .map(([name, make]) => [name, make()]),
      );
    const MORE: Record<string, () => unknown> = {
      tools: () => [{ type: 'function', function: { name: 'f', description: text() } }],
      response_format: () => ({ type: 'json_schema', json_schema: { description: text() } }),
      documents: () => [{ text: text() }],
      suffix: text,
      unknown: () => ({ text: text() }),
      stop: () => ['end'],
    };
    for (let i = 0; i < 2_000; i++) {
      texts.length = 0;
      const endpoint = pick(['chat/completions', 'completions', 'embeddings'] as const);
      const prompt = () => pick([text, () => [text(), text()], () => [1, 2, 3]])();
      const body =
        endpoint === 'chat/completions'
          ? {
              messages: [
                { role: 'user', ...some(FIELDS) },
                { role: 'user', ...some(FIELDS) },
              ],
              ...some(MORE),
            }
          : { [endpoint === 'completions' ? 'prompt' : 'input']: prompt(), ...some(MORE) };
      const request = requestOf(endpoint, body);
      const bounds = boundsOf(request, {});
      const { usage } = meteredUsage({ request, bounds }, false, null, () => NOTHING_PRODUCED);
      const inputTokens = inputTokensOf(usage.counts);
      // Estimated one by one, texts are cut into slices at other places, and a cut may part a token.
      const cuts = texts.reduce((sum, part) => sum + Math.floor(part.length / SLICE_CHARS), 0);
      const least = texts.reduce((sum, part) => sum + estimateTokens(part), 0) - 2 * cuts;
      expect(inputTokens).toBeLessThanOrEqual(bounds.inputTokens);
      expect([body, inputTokens >= Math.min(least, bounds.inputTokens)]).toEqual([body, true]);
    }
  });

  it('includes the prompt although the upstream has reported a placeholder of no tokens', () => {
    const request = requestOf('chat/completions', { messages: [{ role: 'user', content: TEXT }] });
    const admitted = { request, bounds: boundsOf(request, {}) };
    const reported = (prompt_tokens: number, completion_tokens: number) =>
      readReportedUsage({ usage: { prompt_tokens, completion_tokens } });
    const left = meteredUsage(admitted, false, reported(0, 0), () => NOTHING_PRODUCED);
    expect(inputTokensOf(left.usage.counts)).toBeGreaterThanOrEqual(TEXT_TOKENS);
    expect(left.estimated).toBe(true);
    const complete = meteredUsage(admitted, true, reported(0, 0), () => NOTHING_PRODUCED);
    expect(complete).toMatchObject({ usage: { counts: { request: 1 } }, estimated: false });
    expect(meteredUsage(admitted, false, reported(7, 1), () => NOTHING_PRODUCED)).toMatchObject({
      usage: { counts: { request: 1, input: 7, output: 1 } },
      estimated: false,
    });
  });
});
