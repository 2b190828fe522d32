import { createTestDatabase, insertAccount, type TestDatabase, waitFor } from '@inference/testing';
import fc from 'fast-check';
import { ENTITIES } from '../../entities';
import { tokensOfRun } from '../analysis/tokenizer';
import { IndexedWorkspace } from '../ranking/indexed-workspace.fixture';
import { collectGarbage } from './garbage-collection';
import { findInBlock, PostingBlock, PostingBlockPacker } from './postings/posting-blocks';
import { postingOf, UnpackedPostings } from './postings/postings';
import { findRange, retiredSlots } from './chunk-range';
import { ANALYSIS, type PackedPostings, packLengths, packNumbers, readHead } from './segment';
import { SegmentBuilder } from './segment-builder';
import { chooseForMerge, hasManyRetiredChunks } from './segment-merge';
import { discardVersion, lockOldestGarbage } from './storage/garbage.repository';
import { joinTermId, splitTermId, termId } from './term-id';
import { VarintReader, VarintWriter } from './varint';

const ascending = (max: number) =>
  fc.uniqueArray(fc.nat(max), { minLength: 1, maxLength: 60 }).map((values) => values.sort((a, b) => a - b));

const blocksOf = ({ ends, bytes }: PackedPostings): Buffer[] =>
  Array.from(ends, (end, i) => Buffer.from(bytes.subarray(i === 0 ? 0 : ends[i - 1], end)));

describe('packing', () => {
  it('restores integers', () => {
    fc.assert(
      fc.property(fc.array(fc.maxSafeNat()), (values) => {
        const writer = new VarintWriter();
        for (const value of values) writer.write(value);
        const reader = new VarintReader(writer.written());
        expect(values.map(() => reader.read())).toEqual(values);
        expect(reader.isAtEnd).toBe(true);
      }),
    );
    expect(() => new VarintReader(new Uint8Array([0x80])).read()).toThrow('not terminated');
  });

  it('restores the postings of several terms, except for retired slots', () => {
    const postings = ascending(200_000).chain((slots) =>
      fc.tuple(
        fc.constant(slots),
        fc.array(fc.integer({ min: 1, max: 70_000 }), { minLength: slots.length, maxLength: slots.length }),
      ),
    );
    fc.assert(
      fc.property(fc.array(postings, { minLength: 1, maxLength: 4 }), fc.nat(59), (lists, killed) => {
        const packer = new PostingBlockPacker();
        lists.forEach(([slots, times], i) =>
          packer.add(
            ...splitTermId(BigInt(i)),
            Float64Array.from(slots, (slot, j) => postingOf(slot, times[j]!)),
          ),
        );
        const blocks = blocksOf(packer.take());
        lists.forEach(([slots, times], i) => {
          const dead = new Uint8Array(200_001);
          if (slots[killed] !== undefined) dead[slots[killed]] = 1;
          const unpacked = new UnpackedPostings();
          unpacked.append(
            blocks.map((block) => findInBlock(block, BigInt(i))).find((list) => list)!,
            dead,
          );
          const living = slots.filter((slot) => dead[slot] === 0);
          expect([...unpacked.slots.subarray(0, unpacked.length)]).toEqual(living);
          const often = times.filter((_, j) => dead[slots[j]!] === 0).map((count) => Math.min(count, 0xffff));
          expect([...unpacked.frequencies.subarray(0, unpacked.length)]).toEqual(often);
        });
      }),
    );
  });

  it('divides terms into blocks that are found by their keys', () => {
    const ids = fc.uniqueArray(fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n }), {
      minLength: 1,
      maxLength: 300,
    });
    fc.assert(
      fc.property(ids, fc.array(fc.nat(1_000), { minLength: 1, maxLength: 20 }), (unsorted, sizes) => {
        const terms = unsorted.sort((one, other) => (one < other ? -1 : 1));
        // Such hashes are as unlikely as equal ones.
        fc.pre(!terms.some((id, i) => id - 1n === terms[i - 1]));
        const packer = new PostingBlockPacker();
        const listOf = (i: number) =>
          Int32Array.from({ length: 1 + sizes[i % sizes.length]! }, (_, slot) => postingOf(slot, 1));
        terms.forEach((id, i) => packer.add(...splitTermId(id), listOf(i)));
        const packed = packer.take();
        const blocks = blocksOf(packed);
        const keys = [...packed.keys];
        terms.forEach((id, i) => {
          const place = keys.findLastIndex((key) => key <= id);
          const unpacked = new UnpackedPostings();
          unpacked.append(findInBlock(blocks[place]!, id)!);
          expect(unpacked.length).toBe(listOf(i).length);
          const { terms: count } = new PostingBlock(blocks[place]!);
          expect(packed.chunks[place]).toBe(count === 1 ? listOf(i).length : 0);
        });
        expect(blocks.every((block) => block.length <= 1_024 || new PostingBlock(block).terms === 1)).toBe(
          true,
        );
        expect(findInBlock(blocks[0]!, keys[0]!)).toBeUndefined();
      }),
    );
  });

  it('appends packed lists like their postings', () => {
    const counts = fc.array(fc.tuple(fc.nat(300), fc.integer({ min: 1, max: 200 })), {
      minLength: 1,
      maxLength: 60,
    });
    fc.assert(
      fc.property(fc.array(counts, { minLength: 1, maxLength: 4 }), fc.nat(1_000), (lists, space) => {
        const [whole, appended] = [new PostingBlockPacker(), new PostingBlockPacker()];
        const all: number[] = [];
        let shift = space;
        appended.start();
        for (const gaps of lists) {
          let slot = -1;
          const postings = gaps.map(([gap, times]) => postingOf((slot += gap + 1), times));
          all.push(...postings.map((posting) => posting + postingOf(shift, 0)));
          const packer = new PostingBlockPacker();
          packer.add(1, 2, Float64Array.from(postings));
          const block = new PostingBlock(blocksOf(packer.take())[0]!);
          appended.append(block.bytes, block.listsStart, block.listEnd(0), shift);
          shift += slot + 1;
        }
        appended.end(1, 2);
        whole.add(1, 2, Float64Array.from(all));
        expect(appended.take()).toEqual(whole.take());
      }),
    );
  });

  it('restores numbers and lengths, and applies retired ranges', () => {
    const ranges = fc.array(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.nat(30)), { maxLength: 8 });
    fc.assert(
      fc.property(ascending(400), ranges, fc.nat(2 ** 40), (numbers, gaps, base) => {
        const lengths = numbers.map((number) => number % 0x10000);
        const head = readHead(base + numbers[0]!, numbers.length, packNumbers(numbers), packLengths(lengths));
        expect([...head.numbers]).toEqual(numbers.map((number) => base + number));
        expect([...head.lengths]).toEqual(lengths);
        let next = base;
        const retired = gaps.map(([length, gap]) => {
          const range = { first: next, length };
          next += length + gap;
          return range;
        });
        const isIn = (number: number) =>
          retired.some(({ first, length }) => number >= first && number < first + length);
        const dead = retiredSlots(head, retired);
        const expected = [...head.numbers].map((number) => (isIn(number) ? 1 : 0));
        expect(dead ? [...dead] : expected.map(() => 0)).toEqual(expected);
        for (const number of head.numbers)
          expect(findRange(number, retired) !== undefined).toBe(isIn(number));
      }),
    );
  });
});

describe('SegmentBuilder', () => {
  it('contains each term of each chunk with its frequency', () => {
    const chunk = fc.array(fc.constantFrom('a', 'b', 'c', 'd', '退', '退款'), { maxLength: 30 });
    fc.assert(
      fc.property(fc.array(chunk, { minLength: 1, maxLength: 20 }), (chunks) => {
        const builder = new SegmentBuilder();
        for (const terms of chunks) builder.add({ terms, further: [], words: [], language: 'en' });
        const { segment, postings } = builder.build();
        expect(segment).toMatchObject({ chunks: chunks.length, words: chunks.flat().length });
        expect(segment.languages).toEqual({ en: chunks.length });
        const indexed = blocksOf(postings).flatMap((bytes) => {
          const block = new PostingBlock(bytes);
          return Array.from({ length: block.terms }, (_, i) => ({
            id: joinTermId(block.high(i), block.low(i)),
            list: block.list(i),
          }));
        });
        expect(indexed.map(({ id }) => id)).toEqual(
          [...new Set(chunks.flat())].map(termId).sort((a, b) => (a < b ? -1 : 1)),
        );
        indexed.forEach(({ id, list }) => {
          const unpacked = new UnpackedPostings();
          unpacked.append(list);
          const found = Array.from({ length: unpacked.length }, (_, at) => [
            unpacked.slots[at],
            unpacked.frequencies[at],
          ]);
          const wanted = chunks
            .map((terms, slot) => [slot, terms.filter((term) => termId(term) === id).length])
            .filter(([, times]) => times! > 0);
          expect(found).toEqual(wanted);
        });
      }),
    );
  });

  it('counts the tokens of runs of characters as terms', () => {
    const runs = ['退款', '款', '𠮷野家𠮷', '退款退'];
    const [ofRuns, ofTerms] = [new SegmentBuilder(), new SegmentBuilder()];
    const passage = { further: ['退'], words: [], language: 'en' };
    ofRuns.add({ ...passage, terms: ['a'], runs });
    ofTerms.add({ ...passage, terms: ['a', ...runs.flatMap(tokensOfRun)] });
    expect(ofRuns.build()).toEqual(ofTerms.build());
  });

  it('divides terms of which half of the id is equal, and chunks of more terms than usual', () => {
    const halves = ['term21872', 'term134785'];
    expect(splitTermId(termId(halves[0]!))[0]).toBe(splitTermId(termId(halves[1]!))[0]);
    const many = Array.from({ length: 9_000 }, (_, n) => `t${n}`);
    const builder = new SegmentBuilder();
    for (const terms of [halves, many, halves.toReversed(), many])
      builder.add({ terms, further: [], words: [], language: 'en' });
    const blocks = blocksOf(builder.build().postings);
    for (const term of [...halves, ...many]) {
      const unpacked = new UnpackedPostings();
      unpacked.append(blocks.map((block) => findInBlock(block, termId(term))).find((list) => list)!);
      const slots = halves.includes(term) ? [0, 2] : [1, 3];
      expect([...unpacked.slots.subarray(0, unpacked.length)]).toEqual(slots);
    }
  });

  it('assigns different ids to different terms', () => {
    const terms = Array.from({ length: 200_000 }, (_, n) => `term${n}`);
    expect(new Set(terms.map(termId)).size).toBe(terms.length);
  });
});

describe('chooseForMerge', () => {
  const segments = (...sizes: [chunks: number, count: number][]) =>
    sizes
      .flatMap(([chunks, count]) => Array.from({ length: count }, () => ({ chunks, analysis: ANALYSIS })))
      .map((one, id) => ({ ...one, id: BigInt(id) }));
  const chosen = (...sizes: [number, number][]) =>
    chooseForMerge(segments(...sizes)).map(({ chunks }) => chunks);

  it('chooses many small segments, or several of one tier, and none of other tiers', () => {
    expect(chosen([1, 47], [1_024, 7], [8_192, 7], [100_000, 20])).toEqual([]);
    expect(chosen([1, 48], [1_024, 7])).toHaveLength(48);
    expect(chosen([1, 47], [1_024, 4], [8_191, 4], [8_192, 7])).toEqual([
      ...Array<number>(4).fill(1_024),
      ...Array<number>(4).fill(8_191),
    ]);
  });

  it('chooses no more chunks than one segment may have', () => {
    expect(chosen([16_384, 9])).toHaveLength(8);
    expect(chosen([20_000, 9])).toEqual([]);
  });

  it('chooses large segments with many retired chunks', () => {
    expect(hasManyRetiredChunks({ chunks: 1_024 }, 205)).toBe(true);
    expect(hasManyRetiredChunks({ chunks: 1_024 }, 204)).toBe(false);
    expect(hasManyRetiredChunks({ chunks: 1_023 }, 1_023)).toBe(false);
  });
});

describe('collectGarbage', () => {
  const { signal } = new AbortController();
  let database: TestDatabase;
  beforeAll(async () => (database = await createTestDatabase(ENTITIES)));
  afterAll(() => database?.drop());

  it('deletes exactly the discarded data', async () => {
    const { pool } = database;
    const { accountId } = await insertAccount(pool, { balancePicos: 0n });
    const own = await IndexedWorkspace.create(pool, accountId);
    const gone = await own.add(['retired words', 'more of them']);
    for (let i = 0; i < 48; i++) await own.add([`kept ${i}`]);
    await own.retire(gone);
    await own.merge();
    await waitFor(async () => {
      while (await collectGarbage(pool, signal));
      return (await pool.query('SELECT FROM memo.garbage')).rowCount === 0;
    });
    const count = async (text: string) =>
      (await pool.query<{ n: number }>(`SELECT count(*)::integer AS n ${text}`)).rows[0]!.n;
    expect(await count('FROM memo.chunks')).toBe(48);
    expect(await count('FROM memo.segments')).toBe(1);
    expect(
      await count(
        'FROM memo.postings p WHERE NOT EXISTS (SELECT FROM memo.segments s WHERE s.id = p.segment_id)',
      ),
    ).toBe(0);
    expect(await count('FROM memo.postings')).toBe(1);
  });

  it('leaves an entry to the process that works on it', async () => {
    const { pool } = database;
    for (const id of ['doc_first', 'doc_second']) await discardVersion(pool, id, 1);
    await pool.transaction(async (transaction) => {
      expect(await lockOldestGarbage(transaction)).toMatchObject({ documentId: 'doc_first', version: 1 });
      expect(await collectGarbage(pool, signal)).toBe(false);
      const { rows } = await pool.query('SELECT document_id FROM memo.garbage');
      expect(rows).toEqual([{ document_id: 'doc_first' }]);
    });
  });
});
