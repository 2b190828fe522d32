import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type ApiDocument, readApiDocument } from '@inference/testing';
import { checkExamples } from './openapi-examples';
import { ROOT } from './documents';

const services = readdirSync(join(ROOT, 'docs/reference/openapi')).map((file) => basename(file, '.json'));

test('each of the seven services has an API document', () => expect(services).toHaveLength(7));

test.each(services)('every example in the API document of %s is of its schema', (service) => {
  const { count, faults } = checkExamples(readApiDocument(service));
  expect(faults).toEqual([]);
  expect(count).toBeGreaterThan(0);
});

const documentOf = (content: object): ApiDocument => ({
  paths: {
    '/': { get: { operationId: 'read', responses: { 200: { description: '', content: content as never } } } },
  },
});

test.each([
  ['of a property', { properties: { example: { type: 'integer', example: 'one' } } }, undefined],
  ['of an object', { type: 'object', properties: { a: {} }, example: { b: 1 } }, undefined],
  ['in a list', { type: 'integer', examples: [1, 'two'] }, undefined],
  ['of a format', { type: 'string', format: 'date-time', example: 'today' }, undefined],
  ['of a body', { type: 'integer' }, { example: 'one' }],
  ['of a body, with a name', { type: 'integer' }, { examples: { first: { value: 'one' } } }],
])('a wrong example %s is found', (_where, schema, body) => {
  const { faults } = checkExamples(documentOf({ 'application/json': { schema, ...body } }));
  expect(faults).toHaveLength(1);
});

test('a wrong event in the example of a stream is found', () => {
  const kind = { schema: { type: 'object', required: ['id'] } };
  const stream = (example: string) =>
    checkExamples(
      documentOf({ 'text/event-stream': { schema: {}, example, 'x-events': { message: kind } } }),
    );
  expect(stream('data: {"id":1}\n\n')).toEqual({ count: 1, faults: [] });
  expect(stream('data: {}\n\n').faults).toHaveLength(1);
  expect(stream('event: other\ndata: {"id":1}\n\n').faults).toHaveLength(1);
});
