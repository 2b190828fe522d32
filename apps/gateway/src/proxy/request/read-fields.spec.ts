import { ENTRIES, type NameTree } from '@inference/http';
import { promptTokens } from '../usage/prompt-tokens';
import { type ProxyRequestBody, READ_TREE, readProxyRequest } from './proxy-request';
import { boundsOf } from './token-bounds';

type Path = (string | typeof ENTRIES)[];

/** Tells which fields are read by their names. Their names cannot be listed, so nothing else is read. */
function watched(value: unknown, path: Path, onRead: (path: Path) => void): unknown {
  if (Array.isArray(value)) return value.map((entry) => watched(entry, [...path, ENTRIES], onRead));
  if (value === null || typeof value !== 'object') return value;
  return new Proxy(value, {
    ownKeys: () => [],
    get(target, name) {
      if (typeof name !== 'string') return undefined;
      onRead([...path, name]);
      return watched((target as Record<string, unknown>)[name], [...path, name], onRead);
    },
  });
}

const isInTree = (path: Path): boolean => {
  let tree: NameTree | undefined = READ_TREE;
  for (const name of path) tree = tree?.[name as string];
  return tree !== undefined;
};

const TYPES = [
  'text',
  'refusal',
  'input_text',
  'image_url',
  'input_image',
  'image',
  'audio_url',
  'audio',
  'x',
];

/** What is read of a request, as paths. */
function readOf(body: object): Set<string> {
  const found = new Set<string>();
  const onRead = (path: Path) => found.add(path.map((name) => (name === ENTRIES ? '*' : name)).join('.'));
  for (const endpoint of ['chat/completions', 'completions'] as const) {
    const request = {
      ...{ endpoint, raw: Buffer.from('{}'), members: [], model: 'm', stream: false, includeUsage: false },
      ...{ choices: 1, body: watched(body, [], onRead) as ProxyRequestBody },
    };
    promptTokens(request);
    boundsOf(request, {});
  }
  return found;
}

const toPath = (text: string): Path => text.split('.').map((name) => (name === '*' ? ENTRIES : name));

describe('the fields that may be given once', () => {
  it('are all that counting and admission read by their names', () => {
    const found = new Set<string>();
    const add = (part: object) => {
      const names = [...readOf({ messages: [{ content: [part] }] })];
      for (const name of names) found.add(name);
      return names
        .filter((name) => name.startsWith('messages.*.content.*.'))
        .map((name) => name.split('.')[4]!);
    };
    // What is read of a part is given next, to see what is read of it.
    for (const type of TYPES)
      for (const name of add({ type })) add({ type, ...(name !== 'type' && { [name]: {} }) });
    expect([...found]).toEqual(
      expect.arrayContaining([
        'max_tokens',
        'messages.*.audio',
        'messages.*.content.*.detail',
        'messages.*.content.*.audio_url.data',
      ]),
    );
    expect([...found].filter((path) => !isInTree(toPath(path)))).toEqual([]);
  });

  it.each([
    '"role":"assistant","audio":{"id":"a"},"audio":null',
    '"content":[{"type":"audio","audio":"a","audio":null}]',
    '"content":[{"type":"audio_url","audio_url":{"url":"a","url":"b"}}]',
    '"content":[{"type":"image_url","image_url":{"data":"a","data":"b"}}]',
    '"content":[{"type":"input_audio","input_audio":{"url":"a","url":"b"}}]',
    '"content":[{"type":"image","source":"a","source":"b"}]',
    '"content":[{"type":"input_image","detail":"low","detail":"high"}]',
  ])('are refused if they are given twice: %s', (fields) => {
    const raw = Buffer.from(`{"model":"m","messages":[{${fields}}]}`);
    expect(() => readProxyRequest('chat/completions', raw)).toThrow();
  });
});
