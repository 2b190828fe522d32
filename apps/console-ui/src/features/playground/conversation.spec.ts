import { stringifyExact } from '../../api/exact-json';
import { EMPTY, isTemperature, isTokenCount, requestBody, restored, type Turn } from './conversation';

const parameters = { models: ['a', 'b'], system: 'Be short.', temperature: '0.70', maxTokens: ' 64 ' };
const turn = (texts: string[]): Turn => ({
  id: '1',
  prompt: 'Hello',
  answers: texts.map((text, place) => ({ model: parameters.models[place]!, text, state: 'complete' })),
});

it('sends the system prompt, the answers of the same place, and numbers as they were typed', () => {
  const body = requestBody(parameters, [turn(['from a', 'from b'])], 'Go on', 1);
  expect(JSON.parse(stringifyExact(body))).toEqual({
    model: 'b',
    messages: [
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'from b' },
      { role: 'user', content: 'Go on' },
    ],
    max_tokens: 64,
    temperature: 0.7,
  });
});

it('leaves out what is empty, and turns without an answer', () => {
  const empty = { models: ['a'], system: ' ', temperature: '', maxTokens: '' };
  expect(requestBody(empty, [turn([''])], 'Hi', 0)).toEqual({
    model: 'a',
    messages: [{ role: 'user', content: 'Hi' }],
  });
});

it('accepts temperatures from 0 to 2 and positive counts, or nothing', () => {
  expect(['', '0', '0.7', '2'].map(isTemperature)).toEqual([true, true, true, true]);
  expect(['-1', '2.01', 'warm'].map(isTemperature)).toEqual([false, false, false]);
  expect(['', '1', '4096'].map(isTokenCount)).toEqual([true, true, true]);
  expect(['0', '1.5', '-3', 'many'].map(isTokenCount)).toEqual([false, false, false, false]);
});

it('restores a conversation with its calls stopped, and begins anew with what it cannot read', () => {
  const left = { ...EMPTY, draft: 'typed', turns: [turn(['half'])] };
  left.turns[0]!.answers[0]!.state = 'waiting';
  const back = restored(JSON.stringify(left));
  expect(back.draft).toBe('typed');
  expect(back.turns[0]!.answers[0]).toEqual({ model: 'a', text: 'half', state: 'stopped' });
  expect(restored('{')).toEqual(EMPTY);
  expect(restored(null)).toEqual(EMPTY);
});
