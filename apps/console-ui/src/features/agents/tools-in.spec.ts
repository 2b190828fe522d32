import { toolsIn } from './tool-calls';

it('reads tools in their usual shape, and none from nothing', () => {
  const tools = [{ type: 'function', function: { name: 'weather' } }];
  expect(toolsIn(JSON.stringify(tools))).toEqual(tools);
  expect(toolsIn('  ')).toEqual([]);
});

it.each(['{', '{}', '[{}]', '[null]', '[{"type": "function"}]'])('refuses %s', (text) => {
  expect(toolsIn(text)).toBeUndefined();
});
