import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** `npm` and Jest start in the root of the workspace. */
const RECORDER = resolve('tools/fuzz/stall-recorder.cjs');
/** Three times the interval of the recorder. */
const SETTLING_MILLIS = 15;

/** Processor time that a request may take of the thread that all others wait for. */
export const MOST_STALL_MILLIS = 100;

/** What the machine for which MOST_STALL_MILLIS is promised needs for the known work, in milliseconds of processor time. */
const KNOWN_MILLIS = 77;
const KNOWN_RUNS = 5;

/** MOST_STALL_MILLIS on this machine as fast as it is now: a known piece of work tells how fast that is. */
export function mostStallMillis(): number {
  const json = JSON.stringify('"'.repeat(15_000_000));
  let least = Infinity;
  for (let run = 0; run < KNOWN_RUNS; run++) {
    const before = process.cpuUsage();
    JSON.parse(json);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return MOST_STALL_MILLIS * Math.max(1, least / KNOWN_MILLIS);
}

/** What the recorder in each service writes about turns of the event loop that took long. */
export class StallLog {
  private readonly readChars = new Map<string, number>();

  constructor(private readonly folder: string) {}

  /** Variables of processes that shall record their stalls. */
  get environment(): Record<string, string> {
    return { STALL_FOLDER: this.folder, NODE_OPTIONS: `--require=${RECORDER}` };
  }

  /** Waits until what has just been answered is recorded, and returns the longest stall of the service since the last call; 0 if none was long. */
  async longestMillis(service: string): Promise<number> {
    await new Promise((settled) => setTimeout(settled, SETTLING_MILLIS));
    return Math.max(0, ...this.takeStalls(service));
  }

  /** Milliseconds of the stalls of the service that are recorded since the last call. */
  takeStalls(service: string): number[] {
    const file = join(this.folder, `${service}.txt`);
    if (!existsSync(file)) return [];
    const text = readFileSync(file, 'latin1');
    const known = this.readChars.get(service) ?? 0;
    const end = text.lastIndexOf('\n') + 1;
    this.readChars.set(service, end);
    return text.slice(known, end).split('\n').filter(Boolean).map(Number);
  }
}
