import fs from 'node:fs';

/** Chosen: a day of a busy site; two such files are searched in a second. */
const MAX_BYTES = 16 * 2 ** 20;
/** Former files, `<name>.log.1` being the newest one. */
const KEPT_FILES = 4;
/** A longer line is written in parts. */
const MAX_LINE_BYTES = 2 ** 20;
/** How long the output of a process that has ended may still be held open by another one. */
const DRAIN_MS = 1_000;
const LINE_FEED = 0x0a;

/** A log file that is renamed before it becomes too large. */
export class RotatingLog {
  #file;
  #maxBytes;
  #descriptor;
  #bytes;

  /** @param {string} file @param {number} [maxBytes] */
  constructor(file, maxBytes = MAX_BYTES) {
    this.#file = file;
    this.#maxBytes = maxBytes;
    this.#descriptor = fs.openSync(file, 'a', 0o600);
    this.#bytes = fs.fstatSync(this.#descriptor).size;
  }

  /** Synchronously, so that nothing is lost when this process ends. @param {Buffer} lines */
  append(lines) {
    if (this.#bytes > 0 && this.#bytes + lines.length > this.#maxBytes) this.#rotate();
    for (let at = 0; at < lines.length;) at += fs.writeSync(this.#descriptor, lines, at);
    this.#bytes += lines.length;
  }

  #rotate() {
    fs.closeSync(this.#descriptor);
    for (let number = KEPT_FILES; number > 0; number -= 1) {
      const former = number === 1 ? this.#file : `${this.#file}.${number - 1}`;
      if (fs.existsSync(former)) fs.renameSync(former, `${this.#file}.${number}`);
    }
    this.#descriptor = fs.openSync(this.#file, 'a', 0o600);
    this.#bytes = 0;
  }
}

/**
 * Writes the output of a process into the log, line by line, so that lines of its two streams do not mix.
 * @param {import('node:child_process').ChildProcess} child
 * @param {RotatingLog} log
 * @returns {() => Promise<void>} waits until everything that the process has written is in the log; to be called after its end
 */
export function logOutput({ stdout, stderr }, log) {
  const ends = [stdout, stderr].map((stream) => {
    if (!stream) return undefined;
    let rest = Buffer.alloc(0);
    stream.on('data', (/** @type {Buffer} */ chunk) => {
      const all = Buffer.concat([rest, chunk]);
      const end = all.length > MAX_LINE_BYTES ? all.length : all.lastIndexOf(LINE_FEED) + 1;
      if (end > 0) log.append(all.subarray(0, end));
      rest = all.subarray(end);
    });
    return new Promise((resolve) => {
      stream.on('close', () => {
        if (rest.length > 0) log.append(rest);
        resolve(undefined);
      });
    });
  });
  return async () => {
    const timeout = new Promise((resolve) => setTimeout(resolve, DRAIN_MS).unref());
    await Promise.race([Promise.all(ends), timeout]);
  };
}
