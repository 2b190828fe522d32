import { promptTokens } from './prompt-tokens';
import { chat, frame, part, png, requestOf, URL } from './prompt.fixture';

/** A list that counts how often its entries are read, and refuses to be read by the names of its entries. */
function watchedList(length: number, entry: unknown = 0) {
  const count = { reads: 0 };
  const list = new Proxy(
    Array.from({ length }, () => entry),
    {
      get(target, name, receiver) {
        if (typeof name === 'string' && name !== 'length') count.reads++;
        return Reflect.get(target, name, receiver) as unknown;
      },
      ownKeys: () => {
        throw new Error('The names of a list were read.');
      },
    },
  );
  return { list, count };
}

describe('a body with very many values', () => {
  const LENGTH = 300_000;

  it.each<[string, (list: unknown[]) => object]>([
    ['a message', (list) => ({ messages: [list] })],
    ['messages', (list) => ({ messages: list })],
    ['a field of a part', (list) => ({ messages: [{ content: [{ type: 'x', y: list }] }] })],
    ['a source', (list) => ({ messages: [{ content: [{ type: 'image', image: list }] }] })],
    ['a field of a source', (list) => ({ messages: [{ content: [{ type: 'image', image: { y: list } }] }] })],
    ['calls', (list) => ({ messages: [{ tool_calls: list }] })],
    ['tools', (list) => ({ messages: [], tools: list })],
    ['a prompt', (list) => ({ messages: [], prompt: [list] })],
  ])('is read at most twice: %s', (_, bodyOf) => {
    for (const entry of [0, 'a', []]) {
      const { list, count } = watchedList(LENGTH, entry);
      const request = { body: bodyOf(list) as never, raw: Buffer.alloc(2 * LENGTH), members: [] };
      expect(promptTokens(request)).toBeGreaterThan(0);
      expect(count.reads).toBeLessThanOrEqual(2 * LENGTH + 100);
    }
  });

  it('is not read to its end where that counts nothing', () => {
    const { list, count } = watchedList(LENGTH, 'a');
    promptTokens({ body: { messages: [{ tool_calls: list }] } as never, raw: Buffer.alloc(9) });
    expect(count.reads).toBeLessThan(50_000);
  });

  it('has few headers of pictures that are read; all count', () => {
    const content = Array.from({ length: 30_000 }, () => ({ type: 'image', image: png(1, 1).slice(0, 80) }));
    const request = requestOf('chat/completions', { messages: [{ content }] });
    expect(promptTokens(request)).toBeGreaterThan(30_000 * 255 + request.raw.length / 4);
  });

  it('costs a quarter of its bytes if it consists of empty messages', () => {
    const request = requestOf('chat/completions', { messages: Array.from({ length: 60_000 }, () => ({})) });
    expect(promptTokens(request)).toBe(Math.ceil(request.raw.length / 4));
  });

  it('counts pictures whose headers are too long in all as pictures of unknown size', () => {
    const header = Buffer.alloc(190_000);
    header.writeUInt32BE(0xffd8ffe1);
    for (let at = 2; at < 180_000; at += 60_002) header.writeUInt32BE(0xffe1ea60, at);
    header.set(frame(512), 2 + 3 * 60_002);
    const picture = { type: 'image', image: header.toString('base64') };
    const content = Array.from({ length: 60 }, () => picture);
    const all = chat({ content }) - chat({ content: [] });
    expect(part(picture)).toBe(255);
    expect(all).toBeGreaterThan(15 * 1_445 + 40 * 255);
    expect(all).toBeLessThan(25 * 1_445 + 45 * 255);
  });

  it.each<[string, object]>([
    ['audio', { type: 'audio_url', audio_url: URL }],
    ['video', { type: 'video_url', video_url: { url: URL } }],
  ])('costs all that was reserved if there is %s, also behind them', (_, media) => {
    const many = Array.from({ length: 60_000 }, () => 'a');
    expect(chat({ content: [...many, media] })).toBe(Infinity);
    expect(chat({ content: [{ x: many, ...media }] })).toBe(Infinity);
  });

  it('is searched for no long scheme', () => {
    expect(chat({ content: [{ type: 'x', of: `${'a'.repeat(60)}://b` }] })).toBeLessThan(50);
  });
});
