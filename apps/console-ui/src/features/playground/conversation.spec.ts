import { stringifyExact } from '../../api/exact-json';
import { withChunk } from './chat-stream';
import {
  type Answer,
  forHistory,
  fromHistory,
  newConversation,
  requestBody,
  restored,
  type Step,
  titleOf,
  type Turn,
  WAITING,
  wantsResults,
} from './conversation';
import { DEFAULTS } from './parameters';

const parameters = { ...DEFAULTS, models: ['a', 'b'], system: 'Be short.', maxTokens: '' };
const prompt = (text: string) => ({ text, pictures: [] });
const done = (text: string): Step => ({ ...WAITING, text, state: 'complete' });
const answer = (model: string, ...steps: Step[]): Answer => ({ model, steps });
const turn = (text: string, ...answers: Answer[]): Turn => ({ id: text, prompt: prompt(text), answers });
const messagesOf = (turns: Turn[], place: number) =>
  JSON.parse(stringifyExact(requestBody(parameters, turns, place).messages)) as object[];

it('gives both models the same prompts, each with its own answers', () => {
  const failed: Step = { ...WAITING, state: 'failed' };
  const turns = [
    turn('one', answer('a', done('a1')), answer('b', done('b1'))),
    turn('two', answer('a', done('a2')), answer('b', failed)),
    turn('three'),
  ];
  const said = (role: string, content: string) => ({ role, content });
  const [system, one, two, three] = [
    said('system', 'Be short.'),
    said('user', 'one'),
    said('user', 'two'),
    said('user', 'three'),
  ];
  expect(messagesOf(turns, 0)).toEqual([
    system,
    one,
    said('assistant', 'a1'),
    two,
    said('assistant', 'a2'),
    three,
  ]);
  expect(messagesOf(turns, 1)).toEqual([system, one, said('assistant', 'b1'), two, three]);
});

it('gives a model that was added later the answers of the first', () => {
  const turns = [turn('one', answer('a', done('a1'))), turn('two')];
  expect(messagesOf(turns, 1)).toEqual(messagesOf(turns, 0));
});

it('sends pictures as parts, without those that were not kept', () => {
  const pictures = [
    { name: 'a.png', url: 'data:image/png;base64,AA==' },
    { name: 'b.png', url: '' },
  ];
  const asked = [{ id: '1', prompt: { text: 'What is it?', pictures }, answers: [] }];
  expect(messagesOf(asked, 0).at(-1)).toEqual({
    role: 'user',
    content: [
      { type: 'text', text: 'What is it?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
    ],
  });
});

it('sends calls of functions with their results', () => {
  const call = { id: 'call_1', name: 'get_weather', arguments: '{"city":"Rome"}', result: '21 °C' };
  const asking: Step = { ...done(''), toolCalls: [call] };
  expect(wantsResults(answer('a', asking))).toBe(true);
  expect(wantsResults(answer('a', asking, done('Warm.')))).toBe(false);
  expect(messagesOf([turn('one', answer('a', asking))], 0).slice(2)).toEqual([
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Rome"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_1', content: '21 °C' },
  ]);
});

it('puts the pieces of an answer together', () => {
  const piece = (delta: object) => ({ choices: [{ delta }] });
  const call = (index: number, rest: object) => piece({ tool_calls: [{ index, ...rest }] });
  const step = [
    piece({ role: 'assistant', content: '' }),
    piece({ reasoning_content: 'Hm.' }),
    piece({ content: 'Let me ' }),
    piece({ content: 'look.' }),
    call(0, { id: 'c0', function: { name: 'f', arguments: '' } }),
    call(0, { function: { arguments: '{"a"' } }),
    call(1, { id: 'c1', function: { name: 'g', arguments: '{}' } }),
    call(0, { function: { arguments: ':1}' } }),
    { choices: [{ delta: {}, finish_reason: 'tool_calls' }] },
    { choices: [], usage: { completion_tokens: 7 } },
  ].reduce<Step>(withChunk, WAITING);
  expect(step).toMatchObject({
    text: 'Let me look.',
    reasoning: 'Hm.',
    toolCalls: [
      { id: 'c0', name: 'f', arguments: '{"a":1}' },
      { id: 'c1', name: 'g', arguments: '{}' },
    ],
    finishReason: 'tool_calls',
    outputTokens: 7,
  });
});

it('is restored with its calls stopped, and begins anew with what it cannot read', () => {
  const left = { ...newConversation(parameters), draft: prompt('typed') };
  left.turns = [turn('one', answer('a', { ...WAITING, text: 'half' }))];
  const back = restored(JSON.stringify(left));
  expect(back.draft.text).toBe('typed');
  expect(back.turns[0]!.answers[0]!.steps).toMatchObject([{ text: 'half', state: 'stopped' }]);
  for (const stored of ['{', null, '{"turns":[{"id":"1","prompt":"of an earlier version","answers":[]}]}'])
    expect(restored(stored)).toMatchObject({ parameters: DEFAULTS, turns: [], draft: prompt('') });
});

it('comes back from the history as it was, but for what cannot be stored', () => {
  const conversation = newConversation(parameters);
  conversation.turns = [turn('one\0\ud800😀', answer('a', done('a1')))];
  const { content, isWithoutPictures } = forHistory(conversation)!;
  const back = fromHistory(content, { id: 'chat_1', revision: 3 });
  expect(isWithoutPictures).toBe(false);
  expect(back).toMatchObject({ parameters, saved: { id: 'chat_1', revision: 3 }, isSaved: true });
  expect(back.turns[0]!.prompt.text).toBe('one\uFFFD\uFFFD😀');
  expect(back.turns[0]!.answers).toEqual(conversation.turns[0]!.answers);
});

it('is stored without pictures if they are too large, and not at all if its texts are', () => {
  const conversation = newConversation(parameters);
  const pictures = [{ name: 'large.png', url: 'x'.repeat(5_000_000) }];
  conversation.turns = [{ id: '1', prompt: { text: 'one', pictures }, answers: [] }];
  const stored = forHistory(conversation)!;
  expect(stored.isWithoutPictures).toBe(true);
  expect(stored.content.turns[0]!.prompt).toEqual({
    text: 'one',
    pictures: [{ name: 'large.png', url: '' }],
  });
  conversation.turns = [turn('字'.repeat(1_500_000))];
  expect(forHistory(conversation)).toBeUndefined();
});

it('is titled by the beginning of the first message', () => {
  const titled = (text: string) => titleOf({ ...newConversation(), turns: [turn(text)] }, 'Untitled');
  expect(titled('  What is\n a\u0007 ledger? ')).toBe('What is a ledger?');
  expect(titled(' ')).toBe('Untitled');
  expect(titled('😀'.repeat(90))).toBe(`${'😀'.repeat(80)}…`);
});
