import fc from 'fast-check';
import { join } from 'node:path';
import { JsonUploadParser } from './json-upload-parser';

const THREAD_FILE = join(
  __dirname,
  '../../../../../dist/apps/memo/src/documents/uploads/json-upload.thread.js',
);
const parser = new JsonUploadParser(THREAD_FILE);
const parse = (json: string | Buffer) => parser.parse(Buffer.from(json));
const long = 'x'.repeat(200_000);

it('parses the same as JSON.parse, also in a thread', async () => {
  const members = fc.dictionary(
    fc.string().filter((key) => key !== 'text' && key !== '__proto__'),
    fc.jsonValue(),
    {
      maxKeys: 4,
    },
  );
  const text = fc.string({ unit: 'grapheme' }).filter((value) => value.trim() !== '');
  await fc.assert(
    fc.asyncProperty(
      members,
      text,
      fc.boolean(),
      fc.constantFrom(0, 1),
      async (fields, value, isFirst, indent) => {
        const json = JSON.stringify(
          isFirst ? { text: value, ...fields } : { ...fields, text: value },
          null,
          indent,
        );
        const read = await parse(json);
        // JSON has no -0.
        expect(read.fields).toEqual(JSON.parse(JSON.stringify(fields)));
        expect(Buffer.from(read.text).toString()).toBe(value);
      },
    ),
  );
  const nested = {
    title: 'text',
    metadata: { text: 'inner', 'te\\xt"': ['text', { text: 1 }] },
    text: `${long}"\\`,
  };
  const { text: found, ...fields } = nested;
  const read = await parse(JSON.stringify(nested));
  expect(read.fields).toEqual(fields);
  expect(Buffer.from(read.text).toString()).toBe(found);
});

it.each<[string, string | Buffer, string]>([
  ['nothing', '', 'the body is not valid JSON'],
  ['no object', '"text"', 'the body must be a JSON object'],
  ['no text', '{"title": "text"}', 'text: is missing'],
  ['a text that is none', '{"text": 7}', 'text: must be a string'],
  ['a text inside', '{"a": {"text": "x"}}', 'text: is missing'],
  ['two texts', '{"text": "x", "text": "y"}', 'text: must be given once'],
  ['an empty text', '{"text": " \\n"}', 'text: must not be empty'],
  ['no end', '{"text": "x', 'the body is not valid JSON'],
  ['a text without an end', `{"text": "${long}`, 'the body is not valid JSON'],
  ['a bad escape', '{"text": "\\x"}', 'the body is not valid JSON'],
  ['no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'the body is not valid JSON'],
  ['depth', `{"a": ${'['.repeat(101)}`, 'the body is nested too deeply'],
  [
    'millions of members',
    `{"text": "x", "a": [${'[],'.repeat(1_000_000)}[]]}`,
    'the fields other than text are too long',
  ],
  ['another long string', `{"text": "x", "title": "${long}"}`, 'the fields other than text are too long'],
])('refuses %s', async (_what, json, error) => {
  await expect(parse(json)).rejects.toMatchObject({ message: error, status: 400 });
});
