import { toOpenApi31 } from './build-document';

const REFERENCE = { $ref: '#/components/schemas/Thing' };

describe('a nullable schema', () => {
  it.each([
    ['a text', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      'a choice',
      { type: 'string', enum: ['a'], nullable: true },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [
      'an object of a class',
      { type: 'object', description: 'The thing.', allOf: [REFERENCE], nullable: true },
      { description: 'The thing.', oneOf: [REFERENCE, { type: 'null' }] },
    ],
    ['a reference', { allOf: [REFERENCE], nullable: true }, { oneOf: [REFERENCE, { type: 'null' }] }],
  ])('%s has the type null', (_what, schema, expected) => {
    expect(toOpenApi31(schema)).toEqual(expected);
  });
});
