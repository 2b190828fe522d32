import { buffer } from 'node:stream/consumers';
import { exactNumber, stringifyExact } from '@inference/money';
import { longestTurnOf } from '@inference/testing';
import { StreamableFile } from '@nestjs/common';
import { type Response } from 'express';
import { listAsCsv, listAsJson, longListOf } from './long-list';

/** What is read at once in some 80 ms. */
const PARSED = JSON.stringify('"'.repeat(15_000_000));
const MOST_PART = 0.5;

const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);
const rowOf = (number: number) => ({
  number,
  cost: exactNumber(`0.00000000${number}`),
  text: `a,"${number}`,
});
const lineOf = (number: number) => [String(number), `a,"${number}`];
/** Of a request; only its limit of time is set. */
const response = { setTimeout: () => undefined, prependOnceListener: () => undefined } as unknown as Response;
const whole = async (answer: string | StreamableFile) =>
  answer instanceof StreamableFile ? (await buffer(answer.getStream())).toString() : answer;

it.each([0, 1, 1_000, 1_001, 2_000, 2_500])('writes a list of %d rows', async (count) => {
  const found = numbers(count);
  expect(await whole(listAsJson('rows', longListOf(found, rowOf), response))).toBe(
    stringifyExact({ rows: found.map(rowOf) }),
  );
  expect(await whole(listAsCsv(['n', 'text'], longListOf(found, lineOf), response))).toBe(
    `n,text\r\n${found.map((number) => `${number},"a,""${number}"\r\n`).join('')}`,
  );
});

it.each([
  ['JSON', () => listAsJson('rows', longListOf(numbers(100_000), rowOf), response)],
  ['CSV', () => listAsCsv(['n', 'text'], longListOf(numbers(100_000), lineOf), response)],
])('lets others have their turn while it writes %s', async (_what, answer) => {
  const work = async () => {
    for await (const piece of (answer() as StreamableFile).getStream()) void piece;
  };
  expect(await longestTurnOf(work, () => JSON.parse(PARSED) as unknown, MOST_PART)).toBeLessThan(MOST_PART);
});
