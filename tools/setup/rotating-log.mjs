import fs from 'node:fs';
import { messageOf } from './errors.mjs';

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
  /** Undefined after the file could not be opened. @type {number | undefined} */
  #descriptor;
  /** Since the file was begun, or could not be renamed. */
  #bytes = 0;
  #isFailing = false;

  /** @param {string} file @param {number} [maxBytes] */
  constructor(file, maxBytes = MAX_BYTES) {
    this.#file = file;
    this.#maxBytes = maxBytes;
    const descriptor = this.#open();
    this.#bytes = fs.fstatSync(descriptor).size;
  }

  /**
   * Synchronously, so that nothing is lost when this process ends. Drops lines that cannot be written: a full disk does not stop
   * the processes whose output this is.
   * @param {Buffer} lines
   */
  append(lines) {
    try {
      if (this.#bytes > 0 && this.#bytes + lines.length > this.#maxBytes) this.#rotate();
      const descriptor = this.#descriptor ?? this.#open();
      for (let at = 0; at < lines.length;) {
        const written = fs.writeSync(descriptor, lines, at);
        at += written;
        this.#bytes += written;
      }
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing)
        process.stderr.write(`${this.#file}: lines of the log are lost: ${messageOf(error)}\n`);
      this.#isFailing = true;
    }
  }

  #open() {
    return (this.#descriptor = fs.openSync(this.#file, 'a', 0o600));
  }

  /** A file that cannot be renamed is continued. */
  #rotate() {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    this.#bytes = 0;
    if (descriptor !== undefined) fs.closeSync(descriptor);
    try {
      for (let number = KEPT_FILES; number > 0; number -= 1) {
        const former = number === 1 ? this.#file : `${this.#file}.${number - 1}`;
        if (fs.existsSync(former)) fs.renameSync(former, `${this.#file}.${number}`);
      }
    } catch (error) {
      process.stderr.write(`${this.#file}: cannot be renamed and grows: ${messageOf(error)}\n`);
    }
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
