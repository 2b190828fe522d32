import { validated } from '@inference/dto';
import { HOSTILE_NAMES } from '@inference/testing';
import { RecordUsageDto } from './usage.dto';

describe('the names in a record of usage', () => {
  it.each(['id', 'model'])('refuses hostile names in %s', async (field) => {
    for (const [why, text] of HOSTILE_NAMES) {
      const message = await validated(RecordUsageDto, { [field]: text }).then(
        () => 'no fault',
        (error: Error) => error.message,
      );
      const named = message.split('; ').some((fault) => fault.startsWith(`${field}: must `));
      expect([field, why, named]).toEqual([field, why, true]);
    }
  });
});
