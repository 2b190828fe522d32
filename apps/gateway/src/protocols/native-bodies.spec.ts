import { JsonFault, readJson } from '@inference/http';
import fc from 'fast-check';
import { withFields } from '../proxy/upstream-body';
import { NATIVE_MESSAGES } from './messages/messages-native';
import { NATIVE_RESPONSES } from './responses/responses-native';

/** Values that a parser and a writer of JSON would change. */
const ODD = fc.constantFrom(
  ...['9007199254740993', '-9223372036854775808', '1.0', '1e400', '-0', '0.10', '1E+2', 'null', '""'],
  ...['"\\u0061\\/"', '"model"', '"\\"max_tokens\\":1"', '{"b":1,"a":2,"b":3}', '[ 1 ,\n2.50 ]', '{ }'],
  ...['{"model":"x","max_tokens":1e3}', '[{"store":true}]'],
);
const NAMES = ['"metadata"', '"temperature"', '"x"', '"\\u0078"', '"1"', '"__proto__"', '"top_p"'];

describe.each([
  ['messages', NATIVE_MESSAGES, 'messages'],
  ['responses', NATIVE_RESPONSES, 'input'],
])('the body of a call in %s', (_name, { fields, limitField, imposedOn }, prompt) => {
  const space = fc.constantFrom('', ' ', '\n\t', '\r\n');
  const member = (name: string, value: fc.Arbitrary<string>) =>
    fc.record({
      ...{ name: fc.constant(name), value },
      ...{ before: space, between: space.map((blank) => `${blank}:${blank}`), after: space },
    });
  type Member = { name: string; value: string; before: string; between: string; after: string };
  const others = fc.array(
    fc.constantFrom(...NAMES).chain((name) => member(name, ODD)),
    { maxLength: 6 },
  );
  const deciding = fc.tuple(
    member('"model"', fc.constant('"m"')),
    member(`"${prompt}"`, ODD),
    fc.option(member(`"${limitField}"`, fc.constantFrom('1.0', '5', 'null')), { nil: undefined }),
    fc.option(member('"store"', fc.constantFrom('true', 'false')), { nil: undefined }),
  );
  const given = fc.tuple(others, deciding).chain(([free, fixed]) =>
    fc.shuffledSubarray([...free, ...fixed.filter((one) => one !== undefined)], {
      minLength: free.length + fixed.filter((one) => one !== undefined).length,
    }),
  );
  const textOf = (members: Member[], inserted: string[] = []) => {
    const parts = members.map(
      ({ name, value, before, between, after }) => before + name + between + value + after,
    );
    return `{${[...inserted, ...parts].join(',')}}`;
  };

  it('keeps every byte but the values that the gateway sets', () => {
    fc.assert(
      fc.property(given, fc.boolean(), (members, isLimited) => {
        const raw = Buffer.from(textOf(members));
        const store = members.find(({ name }) => name === '"store"')?.value;
        const set: Record<string, string | number | boolean> = {
          ...imposedOn({ store: store === undefined ? undefined : store === 'true' }),
          ...(isLimited && { [limitField]: 77 }),
          model: 'maker-1',
        };
        const sent = withFields({ raw, members: readJson(raw, { names: fields }).members }, set);
        const isGiven = (field: string) => members.some(({ name }) => name === `"${field}"`);
        const changed = members.map((one) => {
          const field = one.name.slice(1, -1);
          return Object.hasOwn(set, field) ? { ...one, value: JSON.stringify(set[field]) } : one;
        });
        const inserted = Object.entries(set).filter(([field]) => !isGiven(field));
        expect(sent.toString()).toBe(
          textOf(
            changed,
            inserted.map(([field, value]) => `"${field}":${JSON.stringify(value)}`),
          ),
        );
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(['model', limitField, prompt, 'stream', 'tools', 'service_tier'])('has %s once', (field) => {
    const raw = Buffer.from(
      `{"model":"m","${field}":1,"\\u00${field.charCodeAt(0).toString(16)}${field.slice(1)}":2}`,
    );
    expect(() => readJson(raw, { names: fields })).toThrow(JsonFault);
  });
});
