import { type HttpException } from '@nestjs/common';
import fc from 'fast-check';
import { BodyMemory, type HeldBody } from './body-memory';

const MEBIBYTE = 2 ** 20;
const SMALL_BYTES = 64 * 1024;
/** A quarter for each holder, 16 MiB of it while bodies arrive, 32 MiB for small bodies only. */
const LIMIT_BYTES = 256 * MEBIBYTE;

describe('the memory for bodies', () => {
  let memory: BodyMemory;
  beforeEach(() => (memory = new BodyMemory(LIMIT_BYTES)));

  /** The status of growing a body; 200 if it grew. */
  const statusOf = (body: HeldBody, bytes: number): number => {
    try {
      body.grow(bytes);
      return 200;
    } catch (error) {
      return (error as HttpException).getStatus();
    }
  };
  const arriving = (holder: string, bytes: number, mostBytes = bytes) => {
    const body = memory.begin(holder, mostBytes);
    return [statusOf(body, bytes), body] as const;
  };
  const arrived = (holder: string, bytes: number) => {
    const body = memory.begin(holder, bytes);
    body.arrive();
    return [statusOf(body, bytes), body] as const;
  };

  it('admits one body of the largest size of a holder while it arrives, and no second one', () => {
    const [status, body] = arriving('one', 32 * MEBIBYTE);
    expect(status).toBe(200);
    expect(arriving('one', 32 * MEBIBYTE)[0]).toBe(429);
    expect(arriving('one', 1, 32 * MEBIBYTE)[0]).toBe(429);
    body.arrive();
    expect(arriving('one', 32 * MEBIBYTE)[0]).toBe(200);
  });

  it('admits smaller bodies of a holder while they arrive, up to a sixteenth', () => {
    for (let n = 0; n < 16; n++) expect(arriving('one', MEBIBYTE)[0]).toBe(200);
    expect(arriving('one', 1, MEBIBYTE)[0]).toBe(429);
    expect(arriving('two', MEBIBYTE)[0]).toBe(200);
  });

  it.each([
    [20, 1.5],
    [3, 10],
    [32, 1],
  ])(
    'admits %d bodies of %d MiB at once where one may have 32 MiB, and no more than that',
    (count, mebibytes) => {
      for (let n = 0; n < count; n++)
        expect(arriving('one', mebibytes * MEBIBYTE, 32 * MEBIBYTE)[0]).toBe(200);
      expect(arriving('one', (32 - count * mebibytes) * MEBIBYTE + 1, 32 * MEBIBYTE)[0]).toBe(429);
    },
  );

  it('needs seven holders to be filled with bodies that arrive', () => {
    for (let n = 0; n < 6; n++)
      for (let m = 0; m < 16; m++) arriving(`parallel ${n}`, 2 * MEBIBYTE, 32 * MEBIBYTE);
    expect(arriving('next', 32 * MEBIBYTE)[0]).toBe(200);
    expect(arriving('last', 2 * MEBIBYTE)[0]).toBe(503);
  });

  it('admits bodies of a holder that have arrived, up to a quarter', () => {
    for (let n = 0; n < 4; n++) expect(arrived('one', 16 * MEBIBYTE)[0]).toBe(200);
    expect(arrived('one', 1)[0]).toBe(429);
  });

  it('admits one body of the largest size if that is more than a quarter', () => {
    memory = new BodyMemory(4 * MEBIBYTE);
    expect(arriving('one', 3 * MEBIBYTE)[0]).toBe(200);
  });

  it('keeps room for small bodies when large ones take the rest', () => {
    for (let n = 0; n < 7; n++) expect(arriving(`large ${n}`, 32 * MEBIBYTE)[0]).toBe(200);
    expect(arriving('next', SMALL_BYTES + 1)[0]).toBe(503);
    for (let n = 0; n < 512; n++) expect(arriving(`small ${n}`, SMALL_BYTES)[0]).toBe(200);
    expect(arriving('last', 1)[0]).toBe(503);
  });

  it('refuses a body that grows from a small to a large one without room, and keeps what it was', () => {
    for (let n = 0; n < 7; n++) arriving(`large ${n}`, 32 * MEBIBYTE);
    const [status, body] = arriving('grows', SMALL_BYTES, MEBIBYTE);
    expect([status, statusOf(body, 1), body.bytes]).toEqual([200, 503, SMALL_BYTES]);
  });

  it('is empty again after any sequence of bodies', () => {
    const step = fc.record({
      action: fc.constantFrom('begin', 'grow', 'arrive', 'keep', 'release'),
      holder: fc.constantFrom('one', 'two', 'three'),
      which: fc.nat(20),
      bytes: fc.oneof(fc.nat(2 * SMALL_BYTES), fc.nat(20 * MEBIBYTE)),
    });
    const property = fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      memory = new BodyMemory(LIMIT_BYTES);
      const bodies: HeldBody[] = [];
      for (const { action, holder, which, bytes } of steps) {
        const body = bodies[which % Math.max(1, bodies.length)];
        if (action === 'begin') bodies.push(memory.begin(holder, bytes));
        else if (!body) continue;
        else if (action === 'grow' && !body.isReleased) statusOf(body, bytes);
        else if (action === 'arrive') body.arrive();
        else if (action === 'keep') body.arrive(Math.min(body.bytes, bytes));
        else if (action === 'release') body.release();
      }
      for (const body of bodies) body.release();
      // Everything fits again.
      for (const holder of ['one', 'two', 'three']) {
        for (let n = 0; n < 2; n++) expect(arrived(holder, 32 * MEBIBYTE)[0]).toBe(200);
        expect(arrived(holder, 1)[0]).toBe(429);
      }
      expect(arrived('four', 32 * MEBIBYTE)[0]).toBe(200);
      expect(arrived('five', SMALL_BYTES + 1)[0]).toBe(503);
    });
    fc.assert(property, { numRuns: 200 });
  });
});
