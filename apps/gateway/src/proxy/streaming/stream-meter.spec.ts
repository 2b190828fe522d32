import { bytesOf, SseEventReader } from '@inference/sse';
import fc from 'fast-check';
import { readPlainDelta } from './plain-delta';
import { StreamMeter } from './stream-meter';

const USAGE = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
const READ = { others: {}, serviceTier: null, fault: null };
const USAGE_READ = { ...READ, input: { input: 7 }, output: { output: 3 } };
const ZEROS = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
const delta = (content: string, more: object = {}) => ({
  choices: [{ index: 0, delta: { content }, ...more }],
});
const event = (value: unknown) => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`;

interface Pass {
  meter: StreamMeter;
  sent: string;
}

function pass(text: string, { includeUsage = false, choices = 1, cuts = [] as number[] } = {}): Pass {
  const meter = new StreamMeter(includeUsage, choices);
  const reader = new SseEventReader();
  const bytes = Buffer.from(text);
  let sent = '';
  const places = [0, ...cuts.map((at) => at % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  const events = places.flatMap((at, i) => (i === 0 ? [] : reader.push(bytes.subarray(places[i - 1], at))));
  for (const event of [...events, ...reader.flush()]) sent += meter.read(event) ?? '';
  return { meter, sent: bytesOf(sent).toString('utf8') };
}

describe('StreamMeter', () => {
  const stream = [delta('Hel'), delta('lo'), { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }];

  it('forwards every byte to a client that asked for the usage', () => {
    const text = [
      ...stream.map((chunk) => event({ ...chunk, usage: null })),
      event({ choices: [], usage: USAGE }),
    ].join('');
    const { meter, sent } = pass(text + event('[DONE]'), { includeUsage: true });
    expect(sent).toBe(text + event('[DONE]'));
    expect(meter.usage).toEqual(USAGE_READ);
    expect(meter.produced.text).toBe('Hello');
    expect(meter.isComplete).toBe(true);
  });

  it.each([
    ['a chunk of its own', [...stream, { choices: [], usage: USAGE }]],
    ['null in the others', [...stream.map((c) => ({ ...c, usage: null })), { choices: [], usage: USAGE }]],
    ['the last choice’s chunk', [stream[0], stream[1], { ...stream[2], usage: USAGE }]],
    ['every chunk', stream.map((c) => ({ ...c, usage: USAGE }))],
    ['null in front', [...stream.map((c) => ({ usage: null, ...c })), { usage: USAGE, choices: [] }]],
  ])('takes usage out of %s', (_where, chunks) => {
    const { meter, sent } = pass([...chunks, '[DONE]'].map(event).join(''));
    expect(sent).toBe([...stream, '[DONE]'].map(event).join(''));
    expect(meter.usage).toEqual(USAGE_READ);
  });

  it.each([
    'data: {"choices":[{"index":0,"delta":{"content":"x"}}], "usage": null}\n\n',
    'data: {"choices":[{"index":0,"delta":{"content":"x"}}],"usage" : null }\r\n\r\n',
    'data: {"choices":[{"index":0,"delta":{"content":"x"}}]\ndata: ,"usage":\ndata: null}\n\n',
  ])('takes a null out however it is written: %j', (text) => {
    const { sent } = pass(text);
    expect(sent).not.toContain('usage');
    expect(JSON.parse(sent.slice('data: '.length))).toEqual(delta('x'));
  });

  it.each([',"usage":null', '{"a":1,"usage":null}', ' ,"usage":null,"usage":null', '\\",\\"usage\\":null'])(
    'leaves the text %j in an answer alone',
    (content) => {
      for (const usage of [undefined, null, USAGE]) {
        const { meter, sent } = pass(event({ ...delta(content), usage }));
        expect(JSON.parse(sent.slice('data: '.length))).toEqual(delta(content));
        expect(meter.produced.text).toBe(content);
      }
    },
  );

  it('keeps a chunk without choices and without usage', () => {
    const filter = { choices: [], prompt_filter_results: [], usage: null };
    expect(pass(event(filter)).sent).toBe(event({ choices: [], prompt_filter_results: [] }));
    expect(pass(event({ choices: [] })).sent).toBe(event({ choices: [] }));
  });

  it('forwards events that it cannot parse', () => {
    for (const text of [
      ': ping\n\n',
      event('{"broken":'),
      event('[1]'),
      event('5'),
      event('null'),
      event({}),
    ]) {
      const { meter, sent } = pass(text);
      expect(sent).toBe(text);
      expect(meter).toMatchObject({ usage: null, hasProduced: false, failed: false, isComplete: false });
    }
  });

  it.each([
    [
      { prompt_tokens: -1, completion_tokens: 3 },
      { input: null, output: { output: 3 }, fault: 'invalid_count' },
    ],
    [
      { prompt_tokens: 7, completion_tokens: 2 ** 53 },
      { input: { input: 7 }, output: null, fault: 'invalid_count' },
    ],
    [{ completion_tokens: 3 }, { input: null, output: { output: 3 }, fault: null }],
    [{}, null],
    ['many', null],
  ])('reads of the usage %j only what counts', (usage, read) => {
    expect(pass(event({ choices: [], usage })).meter.usage).toEqual(read && { ...READ, ...read });
  });

  it.each([
    ['before', [{ usage: ZEROS }, { usage: USAGE }]],
    ['behind', [{ usage: USAGE }, { usage: ZEROS }]],
  ])('does not let zeros %s the figures replace them', (_where, reports) => {
    const text = reports.map((report) => event({ choices: [], ...report })).join('');
    expect(pass(text).meter).toMatchObject({ usage: USAGE_READ, isUsageFinal: true });
  });

  it('knows whether an answer went on after its usage', () => {
    const usage = event({ choices: [], usage: USAGE });
    const end = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    const isFinal = (text: string) => pass(text).meter.isUsageFinal;
    const image = event({ choices: [{ index: 0, delta: { images: [{}] }, finish_reason: null }] });
    expect(isFinal(event(going('a')) + usage + end)).toBe(true);
    expect(isFinal(usage + event(going('a')) + end)).toBe(false);
    expect(isFinal(usage + event(delta('a')) + end)).toBe(false);
    expect(isFinal(usage + image.replace('"finish_reason":null', '"finish_reason":""') + end)).toBe(false);
    expect(isFinal(event(going('a')) + end)).toBe(false);
  });

  it('names the last event whose usage the client gets, without what the upstream charges', () => {
    const priced = { ...USAGE, cost: 0.5, cost_details: { upstream_inference_cost: 0.5 } };
    const last = event({ choices: [], usage: priced });
    const { meter, sent } = pass(event({ ...delta('a'), usage: USAGE }) + last, { includeUsage: true });
    expect(meter.usageEvent).toBe(event({ choices: [], usage: USAGE }));
    expect(sent.endsWith(meter.usageEvent!)).toBe(true);
    expect(pass(last).meter.usageEvent).toBeNull();
  });

  it('keeps a reported zero', () => {
    expect(pass(event({ choices: [], usage: ZEROS })).meter.usage).toEqual({
      ...READ,
      input: {},
      output: {},
    });
  });

  it('is complete when every answer has finished, or at [DONE]', () => {
    const finish = (index: number) => event({ choices: [{ index, delta: {}, finish_reason: 'stop' }] });
    expect(pass(finish(0), { choices: 2 }).meter.isComplete).toBe(false);
    expect(pass(finish(0) + finish(0), { choices: 2 }).meter.isComplete).toBe(false);
    expect(pass(finish(1) + finish(0), { choices: 2 }).meter.isComplete).toBe(true);
    expect(pass(event('[DONE]'), { choices: 2 }).meter.isComplete).toBe(true);
  });

  it.each([null, '', undefined])('does not treat the finish reason %j as the end', (finish_reason) => {
    expect(pass(event(delta('x', { finish_reason }))).meter.isComplete).toBe(false);
  });

  it('notices an error inside the stream', () => {
    const text = event(delta('x')) + event({ error: { message: 'out of memory' } });
    expect(pass(text)).toMatchObject({ sent: text, meter: { failed: true, hasProduced: true } });
  });

  it('counts tool calls, reasoning and refusals as produced, and a role as nothing', () => {
    const parts = [
      { role: 'assistant', content: '' },
      { reasoning_content: 'think ' },
      { tool_calls: [{ index: 0, id: 'call_1', function: { name: 'look', arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"at":' } }] },
      { refusal: 'no' },
      { content: null },
    ].map((part) => event({ choices: [{ index: 0, delta: part }] }));
    expect(pass(parts[0]!).meter.hasProduced).toBe(false);
    expect(pass(parts.join('')).meter.produced.text).toBe('think look{"at":no');
    expect(pass(event({ choices: [{ index: 0, text: 'plain' }] })).meter.produced.text).toBe('plain');
  });

  it('counts reasoning once if it is sent under both field names', () => {
    const text = event({
      choices: [{ index: 0, delta: { reasoning: 'think', reasoning_content: 'think' } }],
    });
    expect(pass(text).meter.produced.text).toBe('think');
  });

  const going = (content: string, more: object = {}) => ({
    ...delta(content, { finish_reason: null }),
    ...more,
  });

  it('counts what events without a finish reason add, kept unread or not', () => {
    const long = 'x'.repeat(1000);
    const chunks = [
      going('Hé'),
      going('l\n', { usage: null }),
      ...Array.from({ length: 100 }, () => going(long)),
    ];
    const { meter, sent } = pass(chunks.map(event).join(''));
    expect(sent).toBe([chunks[0], going('l\n'), ...chunks.slice(2)].map(event).join(''));
    expect(meter.produced.text).toBe(`Hél\n${long.repeat(100)}`);
    expect([101, 102].map((limit) => meter.hasMoreDeltasThan(limit))).toEqual([true, false]);
    expect(pass(event(going(''))).meter).toMatchObject({ hasProduced: false, isComplete: false });
  });

  it.each([
    ['a role', { role: 'assistant', content: '' }, false],
    ['no content', { content: null }, false],
    ['a text', { content: 'x' }, true],
    ['reasoning', { content: '', reasoning_content: 'x' }, true],
    ['a call', { tool_calls: [{ index: 0, function: { name: 'look', arguments: '' } }] }, true],
  ])('knows whether %s is a first token', (_what, part, isFirst) => {
    const chunk = (more: object) => event({ choices: [{ index: 0, delta: part, ...more }] });
    for (const text of [chunk({}), chunk({ finish_reason: null })]) {
      const { meter } = pass(text + text);
      expect([meter.hasFirstToken, meter.hasProduced]).toEqual([isFirst, isFirst]);
      // What was read for it counts once.
      const once = pass(text + text).meter;
      expect(meter.produced).toEqual(once.produced);
    }
  });

  it('keeps the order of events that are read at once and of those that are kept unread', () => {
    const long = 'x'.repeat(5_000);
    // White space makes an event one that is not recognised without parsing.
    const parsed = (content: string) => event(JSON.stringify(delta(content), null, 1).replaceAll('\n', ' '));
    const plain = (content: string) => event(going(content));
    const texts = ['a', 'b', long, 'c', long, 'd', `${long}1`, `${long}2`, 'e'];
    const kinds = [parsed, plain, parsed, plain, plain, parsed, parsed, plain, parsed];
    for (const first of [0, 1, 2]) {
      const chosen = texts.slice(first);
      const { meter } = pass(chosen.map((text, index) => kinds[first + index]!(text)).join(''));
      expect(meter.produced.text).toBe(chosen.join(''));
      expect([chosen.length - 1, chosen.length].map((limit) => meter.hasMoreDeltasThan(limit))).toEqual([
        true,
        false,
      ]);
    }
  });

  it.each([
    [
      'an answer that ends beside one that goes on',
      '{"choices":[{"index":0,"finish_reason":null},{"index":1,"finish_reason":"stop"}]}',
    ],
    [
      'a usage behind a null',
      '{"choices":[{"index":0,"finish_reason":null}],"x":{"y":1,"usage":null},"usage":{}}',
    ],
    ['an escaped name', '{"choices":[{"index":0,"finish_reason":null}],"\\u0075sage":{"prompt_tokens":1}}'],
    ['an error', '{"choices":[{"index":0,"finish_reason":null}],"error":{}}'],
    ['white space', '{"choices":[{"index":0,"finish_reason": null}]}'],
    ['two lines', '{"choices":[{"index":0,\ndata: "finish_reason":null}]}'],
  ])('reads %s at once', (_what, data) => {
    expect(readPlainDelta(event(data))).toBeNull();
  });

  it.each([true, false])(
    'takes a null from events that differ only in their text, unless asked: %s',
    (includeUsage) => {
      const texts = ['a', 'b', 'usage', '', 'x"y', 'c', '\\', 'é', 'd'];
      const received = texts.map((text) => event(going(text, { usage: null }))).join('');
      const { meter, sent } = pass(received, { includeUsage });
      expect(sent).toBe(includeUsage ? received : texts.map((text) => event(going(text))).join(''));
      expect(meter.produced.text).toBe(texts.join(''));
    },
  );

  it('forwards what differs in front of the text and behind it', () => {
    const chunk = (id: string, tier: string) => ({ id, ...going('a', { tier }) });
    const chunks = [chunk('id1', 'low'), chunk('id2', 'low'), chunk('id2', 'top')];
    const received = chunks.map((each) => event({ ...each, usage: null })).join('');
    expect(pass(received).sent).toBe(chunks.map(event).join(''));
  });

  it('notices an end as long as the null of the event before', () => {
    const end = event(delta('a', { finish_reason: 'ab' }));
    expect(pass(event(going('a')) + end).meter.isComplete).toBe(true);
  });

  it('counts short events that differ only in their text before it reads them', () => {
    const { meter } = pass(event(going('a')).repeat(5));
    expect([4, 5].map((limit) => meter.hasMoreDeltasThan(limit))).toEqual([true, false]);
  });

  it('reads texts with escapes and over two lines behind one in the same frame', () => {
    const [before, after] = event(going('TEXT', { usage: null })).split('TEXT');
    const twoLines = `${before}x\ndata: y${after}`;
    const received = ['a', '\\u00e9', 'b'].map((text) => before + text + after).join(twoLines);
    const [, shortened] = event(going('TEXT')).split('TEXT');
    const { meter, sent } = pass(received);
    expect(sent).toBe(['a', '\\u00e9', 'b'].map((text) => before + text + shortened).join(twoLines));
    expect(meter.produced.text).toBe('aéb');
  });

  it.each([
    ['the end of an answer', '"stop"},{"index":1,"delta":{"content":"b', { isComplete: true }],
    [
      'a usage',
      `null}],"usage":${JSON.stringify(USAGE)},"more":[{"delta":{"content":"b`,
      { usage: USAGE_READ },
    ],
    ['an error', 'null}],"error":{"code":1},"more":[{"delta":{"content":"b', { failed: true }],
  ])('reads %s in an event that begins and ends as the one before', (_what, middle, expected) => {
    const [before, after] = event(going('TEXT')).split('TEXT');
    const { meter } = pass(`${before}a${after}${before}a"},"finish_reason":${middle}${after}`);
    expect(meter).toMatchObject(expected);
  });

  it.each([
    ['in the usage of a choice', { choices: [{ index: 0, delta: {}, usage: { ...USAGE, cost: 0.5 } }] }],
    ['in x_groq', { choices: [], x_groq: { id: 'x', usage: { ...USAGE, cost: 0.5, cost_details: [{}] } } }],
    [
      'beside a usage',
      { choices: [{ index: 0, delta: {}, usage: { cost: 0.5 } }], usage: { ...USAGE, cost: 1 } },
    ],
  ])('takes out what the upstream charges %s', (_where, chunk) => {
    for (const includeUsage of [true, false]) {
      const { sent, meter } = pass(event(chunk), { includeUsage });
      expect(sent).not.toContain('cost');
      expect(meter.usage).toEqual(USAGE_READ);
    }
  });

  it('yields the same at any chunk boundaries', () => {
    const chunks = fc.array(
      fc.record({
        content: fc.oneof(
          fc.string({ unit: 'grapheme' }),
          fc.constantFrom(
            'error',
            'usage',
            'finish_reason',
            '"',
            '\\',
            '\\"',
            '"content":"',
            ',"usage":null',
          ),
        ),
        usage: fc.constantFrom(undefined, null, USAGE),
        ending: fc.constantFrom('\n\n', '\r\n\r\n', '\r\r'),
        finish: fc.constantFrom({}, { finish_reason: null }),
      }),
    );
    fc.assert(
      fc.property(chunks, fc.array(fc.nat(), { maxLength: 10 }), fc.boolean(), (list, cuts, includeUsage) => {
        const text = list
          .map(
            ({ content, usage, ending, finish }) =>
              `data: ${JSON.stringify({ ...delta(content, finish), usage })}${ending}`,
          )
          .join('');
        const whole = pass(text, { includeUsage });
        const sent = whole.sent.split('\n\n').slice(0, -1);
        expect(sent.map((sentEvent) => JSON.parse(sentEvent.slice('data: '.length)) as unknown)).toEqual(
          list.map(({ content, usage, finish }) => ({
            ...delta(content, finish),
            ...(includeUsage && usage !== undefined && { usage }),
          })),
        );
        const parts = pass(text, { includeUsage, cuts });
        expect(parts.sent).toBe(whole.sent);
        expect(parts.meter.produced.text).toBe(list.map(({ content }) => content).join(''));
        expect(parts.meter.usage).toEqual(whole.meter.usage);
      }),
    );
  });
});
