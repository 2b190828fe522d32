import { estimateTokens } from '@inference/tokens';
import { promptText } from './message-text';
import { readProxyRequest } from '../request/proxy-request';

const promptOf = (endpoint: 'chat/completions' | 'completions' | 'embeddings', body: object) =>
  promptText(readProxyRequest(endpoint, Buffer.from(JSON.stringify({ model: 'm', ...body }))));

describe('the text of a prompt', () => {
  it('counts a token for each token id', () => {
    const ids = Array.from({ length: 500 }, (_, i) => i * 7);
    expect(estimateTokens(promptOf('completions', { prompt: ids }))).toBe(500);
    expect(estimateTokens(promptOf('embeddings', { input: ids }))).toBe(500);
    expect(estimateTokens(promptOf('completions', { prompt: [ids, ids] }))).toBeGreaterThanOrEqual(1_000);
  });

  it('contains the complete tools and the tool calls of earlier turns', () => {
    const parameters = {
      type: 'object',
      properties: { harbour: { type: 'string', description: 'of departure' } },
    };
    const call = { id: 'c', type: 'function', function: { name: 'sail', arguments: '{"harbour":"Lisbon"}' } };
    const messages = [
      { role: 'user', content: [{ type: 'text', text: 'Set sail.' }] },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: 'Sailing.' },
    ];
    const tools = [
      { type: 'function', function: { name: 'sail', description: 'Leaves the quay', parameters } },
    ];
    const text = promptOf('chat/completions', { messages, tools });
    for (const part of ['Set sail.', 'Lisbon', 'Sailing.', 'Leaves the quay', 'of departure'])
      expect(text).toContain(part);
  });
});
