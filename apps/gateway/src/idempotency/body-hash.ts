import { createHash } from 'node:crypto';
import { type SteppedWork, workInSlices } from '@inference/http';

/** Takes a quarter of a millisecond. */
const STEP_BYTES = 65_536;

/** What the body of a repeat is compared with. Other requests have their turn while many bytes are hashed: 32 MiB take 100 ms. */
export function bodyHashOf(bytes: number, parts: Iterable<Buffer>): Promise<string> {
  return workInSlices(bytes, hashSteps(parts), () => undefined);
}

function* hashSteps(parts: Iterable<Buffer>): SteppedWork<string> {
  const hash = createHash('sha256');
  for (const part of parts)
    for (let at = 0; at < part.length; at += STEP_BYTES) {
      hash.update(part.subarray(at, at + STEP_BYTES));
      yield;
    }
  return hash.digest('hex');
}
