import { type OpenAPIObject } from '@nestjs/swagger';
import { nameRepeatedErrors } from './complete-responses';

const answer = (description: string) => ({ description });
const document = (...responses: Record<string, object>[]) =>
  ({
    paths: Object.fromEntries(responses.map((each, n) => [`/${n}`, { get: { responses: each } }])),
  }) as never as OpenAPIObject;

describe('nameRepeatedErrors', () => {
  it('names what several operations answer, the most frequent one by its status alone', () => {
    const missing = answer('There is no such model at all.');
    const other = answer('There is no such model of yours.');
    const changed = document(
      { 200: answer('Done.'), 404: missing },
      { 200: answer('Done.'), 404: missing, 409: answer('Busy.') },
      { 404: answer('Nothing.') },
      { 404: answer('Nothing.') },
      { 404: answer('Nothing.') },
      { 404: other },
      { 404: other },
    );
    nameRepeatedErrors(changed);
    const reference = (name: string) => ({ $ref: `#/components/responses/${name}` });
    expect(changed.components?.responses).toEqual({
      NotFound: answer('Nothing.'),
      NotFoundThereIsNoSuch: missing,
      NotFoundThereIsNoSuchModel: other,
    });
    expect(Object.values(changed.paths).map(({ get }) => get?.responses)).toEqual([
      { 200: answer('Done.'), 404: reference('NotFoundThereIsNoSuch') },
      { 200: answer('Done.'), 404: reference('NotFoundThereIsNoSuch'), 409: answer('Busy.') },
      ...Array.from({ length: 3 }, () => ({ 404: reference('NotFound') })),
      ...Array.from({ length: 2 }, () => ({ 404: reference('NotFoundThereIsNoSuchModel') })),
    ]);
  });

  it('numbers answers that differ in their bodies only', () => {
    const busy = (type: string) => ({ description: 'Busy.', content: { [type]: {} } });
    const [one, other] = [busy('application/json'), busy('text/plain')];
    const changed = document({ 409: one }, { 409: one }, { 409: one }, { 409: other }, { 409: other });
    nameRepeatedErrors(changed);
    expect(changed.components?.responses).toEqual({ Conflict: one, Conflict2: other });
  });
});
