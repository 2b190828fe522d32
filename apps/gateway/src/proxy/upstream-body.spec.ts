import { readJson } from '@inference/http';
import fc from 'fast-check';
import { withFields } from './proxy.service';
import { READ_FIELDS, readProxyRequest } from './request/proxy-request';

const read = (text: string) => readProxyRequest('chat/completions', Buffer.from(text));

describe('withFields', () => {
  const key = fc.oneof(
    fc.string(),
    fc.constantFrom('model', 'max_tokens', 'stream_options', '__proto__', '{', '"'),
  );
  const body = fc.dictionary(key, fc.jsonValue()).map((rest) => ({ ...rest, messages: [] }));
  const fields = fc.dictionary(fc.constantFrom('model', 'max_tokens', 'stream_options', 'n'), fc.jsonValue());
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
});
