import { readJson } from '@inference/http';
import fc from 'fast-check';
import { READ_FIELDS, readProxyRequest } from './request/proxy-request';
import { withFields, withUsageOption } from './upstream-body';

const read = (text: string) => readProxyRequest('chat/completions', Buffer.from(text));

describe('withFields', () => {
  const key = fc.oneof(
    fc.string(),
    fc.constantFrom('model', 'max_tokens', 'stream_options', '__proto__', '{', '"'),
  );
  const body = fc.dictionary(key, fc.jsonValue()).map((rest) => ({ ...rest, messages: [] }));
  const fields = fc.dictionary(
    fc.constantFrom('model', 'max_tokens', 'stream_options', 'n'),
    fc.oneof(fc.string(), fc.nat(), fc.boolean()),
  );
  /** What a client may write around the same value. */
  const spaces = fc.constantFrom('', ' ', '\n', '\t\r\n  ');
  const textOf = (value: object, indent: number, before: string, after: string) =>
    before + JSON.stringify(value, null, indent) + after;

  it('sets the fields and keeps every other byte where possible', () => {
    fc.assert(
      fc.property(body, fields, fc.nat(3), spaces, spaces, (value, set, indent, before, after) => {
        const raw = Buffer.from(textOf(value, indent, before, after));
        const parsed = JSON.parse(raw.toString('utf8')) as Record<string, unknown>;
        const { members } = readJson(raw, { names: READ_FIELDS });
        const result = withFields({ raw, members }, set);
        const merged: unknown = JSON.parse(JSON.stringify({ ...parsed, ...set }));
        expect(JSON.parse(result.toString('utf8'))).toEqual(merged);
        if (Object.keys(set).some((name) => Object.hasOwn(parsed, name))) return;
        const start = raw.indexOf('{') + 1;
        expect(result.subarray(0, start)).toEqual(raw.subarray(0, start));
        expect(result.subarray(result.length - (raw.length - start))).toEqual(raw.subarray(start));
      }),
    );
  });

  it('returns the same bytes if there is nothing to set', () => {
    const request = read('{ "model" : "m",\n"messages":[], "seed":12345678901234567890 }');
    expect(withFields(request, {})).toBe(request.raw);
    expect(withFields(request, { n: 1 }).toString()).toBe(
      '{"n":1, "model" : "m",\n"messages":[], "seed":12345678901234567890 }',
    );
  });

  it('replaces the values of fields that the body has, and no other byte', () => {
    const request = read(
      '{ "max_tokens": null, "x":1, "x":1.0, "mo\\u0064el" : "m",\n"messages":[], "seed":12345678901234567890 }',
    );
    expect(withFields(request, { model: 'long name', n: 1, max_tokens: 5 }).toString()).toBe(
      '{"n":1, "max_tokens": 5, "x":1, "x":1.0, "mo\\u0064el" : "long name",\n"messages":[], "seed":12345678901234567890 }',
    );
  });

  /** JSON as no serialiser writes it: each number, name and space as it comes. */
  const { value: oddJson } = fc.letrec<{ value: string }>((tie) => {
    const space = fc.constantFrom('', '', ' ', '\n', '\t');
    const name = fc.oneof(
      fc.string({ maxLength: 3 }).map((text) => JSON.stringify(text)),
      fc.constantFrom('"1"', '"0"', '"x"', '"\\u0078"', '"__proto__"'),
    );
    const list = (open: string, close: string, entry: fc.Arbitrary<string>) =>
      fc
        .tuple(fc.array(fc.tuple(space, entry, space), { maxLength: 3 }), space)
        .map(
          ([entries, inside]) => open + (entries.map((parts) => parts.join('')).join(',') || inside) + close,
        );
    return {
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom(
          '9007199254740993',
          '-0',
          '1.0',
          '1e400',
          '1E-400',
          '0.10',
          'null',
          'true',
          '"\\u00e9"',
          '"\\/"',
          '"漢"',
        ),
        list('[', ']', tie('value')),
        list(
          '{',
          '}',
          fc.tuple(name, space, tie('value')).map(([key, gap, value]) => `${key}${gap}:${value}`),
        ),
      ),
    };
  });
  /** A member with what stands around its name and value, each as it is written. */
  interface Member {
    name: string;
    before: string;
    between: string;
    value: string;
    after: string;
  }
  const gap = fc.constantFrom('', ' ', '\n\t');
  const memberOf = (name: fc.Arbitrary<string>, value: fc.Arbitrary<string>): fc.Arbitrary<Member> =>
    fc.record({ name, before: gap, between: gap.map((space) => `${space}:${space}`), value, after: gap });
  const textOfMembers = (members: readonly Member[], inserted: readonly string[] = []): string => {
    const parts = members.map(
      ({ name, before, between, value, after }) => before + name + between + value + after,
    );
    const start = inserted.length > 0 && parts.length > 0 ? `${inserted.join(',')},` : inserted.join(',');
    return `{${start}${parts.join(',')}}`;
  };
  const setIn = (members: readonly Member[], names: string[], value: string): Member[] =>
    members.map((member) => (names.includes(member.name) ? { ...member, value } : member));

  const USAGE = ['"include_usage"', '"\\u0069nclude_usage"'];
  const others = fc.array(memberOf(fc.constantFrom('"x"', '"seed"', '"logit_bias"', '"1"'), oddJson), {
    maxLength: 3,
  });
  const withOne = (name: fc.Arbitrary<string>, value: fc.Arbitrary<string>) =>
    fc
      .tuple(others, fc.option(memberOf(name, value), { nil: undefined }), fc.nat(3))
      .map(([list, one, at]) => (one ? list.toSpliced(Math.min(at, list.length), 0, one) : list));
  const inOptions = withOne(fc.constantFrom(...USAGE), fc.constantFrom('null', 'false'));
  const inBody = withOne(fc.constantFrom('"max_tokens"'), fc.constantFrom('null', '5'));
  const optionsForm = fc.oneof(
    inOptions.map((members) => ({
      given: textOfMembers(members),
      sent: members.some(({ name }) => USAGE.includes(name))
        ? textOfMembers(setIn(members, USAGE, 'true'))
        : textOfMembers(members, ['"include_usage":true']),
    })),
    fc.constant({ given: 'null', sent: '{"include_usage":true}' }),
    fc.constant({ given: undefined, sent: '{"include_usage":true}' }),
    fc.constant({ given: '{ }', sent: '{"include_usage":true }' }),
  );

  it('sets one value in any JSON, and leaves every other byte', () => {
    fc.assert(
      fc.property(inBody, optionsForm, fc.boolean(), (list, { given, sent }, limits) => {
        const fixed = ['"model"', '"stream"', '"messages"'].map((name, i) => ({
          ...{ name, before: '', between: ': ', after: '\n' },
          value: ['"m"', 'true', '[ ]'][i]!,
        }));
        const options = {
          name: '"stream_options"',
          before: ' ',
          between: ' :',
          value: given ?? '',
          after: ' ',
        };
        const members = [...list, ...fixed, ...(given === undefined ? [] : [options])];
        const request = read(textOfMembers(members));
        const result = withFields(request, {
          stream_options: withUsageOption(request),
          ...(limits && { max_tokens: 4_096 }),
        });
        const isLimited = list.some(({ name }) => name === '"max_tokens"');
        const set = setIn(members, ['"stream_options"'], sent);
        const expected = textOfMembers(limits ? setIn(set, ['"max_tokens"'], '4096') : set, [
          ...(given === undefined ? [`"stream_options":${sent}`] : []),
          ...(limits && !isLimited ? ['"max_tokens":4096'] : []),
        ]);
        expect(result.toString()).toBe(expected);
        expect(() => JSON.parse(expected) as unknown).not.toThrow();
      }),
      { numRuns: 1_000 },
    );
  });
});
