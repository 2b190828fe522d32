import { createHash } from 'node:crypto';
import { bodyHashOf } from './body-hash';

describe('bodyHashOf', () => {
  it('is the hash of all parts', async () => {
    const parts = ['a'.repeat(200_000), '', 'b'].map((part) => Buffer.from(part));
    const whole = Buffer.concat(parts);
    expect(await bodyHashOf(whole.length, parts)).toBe(createHash('sha256').update(whole).digest('hex'));
  });

  it('lets others have their turn while a long body is hashed', async () => {
    let turns = 0;
    let isHashing = true;
    const count = () => {
      turns++;
      if (isHashing) setImmediate(count);
    };
    count();
    const body = Buffer.alloc(32 * 1024 * 1024);
    await bodyHashOf(body.length, [body]);
    isHashing = false;
    // At once, there are three.
    expect(turns).toBeGreaterThan(4);
  });
});
