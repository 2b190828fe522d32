import { type Fields } from '../fields';
import { readResponsesRequest } from './responses-request';

const translate = (fields: Fields) =>
  readResponsesRequest({ fields: { model: 'm', input: 'a', ...fields }, write: JSON.stringify });

const tool = (type: string, name: string): Fields => ({ type, name });

it.each<[param: string, Fields, message?: RegExp]>([
  ['tools.1.name', { tools: [tool('function', 'f'), tool('function', 'f')] }, /repeats the name f /],
  ['tools.2.name', { tools: [tool('custom', 'f'), tool('function', 'g'), tool('function', 'f')] }],
])('refuses %s of %j', (param, fields, message = /./) => {
  expect(() => translate(fields)).toThrow(
    expect.objectContaining({ code: 'invalid_value', param, message: expect.stringMatching(message) }),
  );
});

it('takes the tools away that are not allowed', () => {
  const tools = ['f', 'g', 'h'].map((name) => tool('function', name));
  const choice = {
    type: 'allowed_tools',
    mode: 'required',
    tools: [tool('function', 'h'), tool('function', 'f')],
  };
  expect(translate({ tools, tool_choice: choice }).chat).toMatchObject({
    tools: [{ function: { name: 'f' } }, { function: { name: 'h' } }],
    tool_choice: 'required',
  });
});
