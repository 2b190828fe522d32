import net from 'node:net';
import zlib from 'node:zlib';
import { percentile } from '../measuring/report.mjs';
import { nowMicros, readTimestamp, TOKEN_LENGTH } from './timestamp-tokens.mjs';

/**
 * Reads many event streams at once with little processor time: from sockets, with the subset of HTTP that the servers of
 * the benchmark use. The parent process sends a StreamRequest. This process sends `{opened: true}` when all streams are
 * open, and a Reading when all have ended.
 *
 * @typedef {object} StreamRequest
 * @property {number} port on loopback
 * @property {string[]} paths one for each stream; the message of a stream is its index
 * @property {Record<string, string>} headers
 * @property {string} end a part of the last event of a complete stream
 * @property {[first: number, last: number]} counted tokens of each stream whose delay counts, from 0
 *
 * @typedef {object} Reading
 * @property {number} p50Ms delay from the creation of a token to its arrival
 * @property {number} p99Ms
 * @property {number} maxMs
 * @property {number} tokens that count
 * @property {number} events that contained them
 * @property {number} seconds from the creation of the first one to the arrival of the last one
 * @property {Record<string, [tokens: number, checksum: number]>} received by stream
 * @property {string[]} faults
 */

/** Streams that are being opened at the same time. */
const OPENING = 32;
const CONTENT = '"content":"';
/** Shared by all sockets: each read is processed before the next one. */
const buffer = Buffer.allocUnsafe(65_536);

class StreamReader {
  /** Received characters that are not processed yet. */
  raw = '';
  body = '';
  /**
   * Characters that remain of the current chunk, including the line break after it; null before the end of the headers.
   * @type {number | null}
   */
  left = null;
  tokens = 0;
  checksum = 0;
  isChunked = true;
  isOpen = false;
  isWhole = false;

  /** @param {StreamLoad} load @param {string} path @param {number} index */
  constructor(load, path, index) {
    this.load = load;
    this.index = index;
    const { port, headers } = load.request;
    const body = JSON.stringify({ role: 'user', content: String(index) });
    const onread = { buffer, callback: (/** @type {number} */ length) => this.onBytes(length) };
    this.socket = net.connect({ port, host: '127.0.0.1', onread });
    this.socket.setNoDelay(true);
    this.socket.on('error', (error) => load.fail(error.message));
    this.socket.on('close', () => load.onClose(this));
    const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body) });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    this.socket.write(`POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${head}\r\n${body}`);
  }

  /** @param {number} length of the buffer */
  onBytes(length) {
    const arrivedAt = nowMicros();
    this.raw += buffer.toString('latin1', 0, length);
    if (this.left === null && !this.readHead()) return true;
    this.unwrap();
    this.readEvents(arrivedAt);
    return true;
  }

  readHead() {
    const end = this.raw.indexOf('\r\n\r\n');
    if (end < 0) return false;
    if (!this.raw.startsWith('HTTP/1.1 200 ')) {
      this.load.fail(`${this.raw.split('\r\n', 1)[0]} ${this.raw.slice(end + 4)}`);
      this.socket.destroy();
      return false;
    }
    this.isChunked = /^transfer-encoding: *chunked\r?$/im.test(this.raw.slice(0, end));
    this.raw = this.raw.slice(end + 4);
    this.left = 0;
    return true;
  }

  /** Decodes a chunked body. A body that is not chunked ends with the connection. */
  unwrap() {
    const { raw } = this;
    if (!this.isChunked) {
      this.body += raw;
      this.raw = '';
      return;
    }
    let at = 0;
    for (;;) {
      if (!this.left) {
        const end = raw.indexOf('\r\n', at);
        if (end < 0) break;
        this.left = parseInt(raw.slice(at, end), 16) + 2;
        at = end + 2;
      }
      const taken = Math.min(this.left, raw.length - at);
      const inside = Math.min(taken, Math.max(0, this.left - 2));
      this.body += raw.slice(at, at + inside);
      this.left -= taken;
      at += taken;
      if (this.left > 0) break;
    }
    this.raw = raw.slice(at);
  }

  /** @param {number} arrivedAt */
  readEvents(arrivedAt) {
    let at = 0;
    for (let end; (end = this.body.indexOf('\n\n', at)) >= 0; at = end + 2) {
      this.readEvent(this.body.slice(at, end), arrivedAt);
    }
    this.body = this.body.slice(at);
  }

  /** @param {string} event @param {number} arrivedAt */
  readEvent(event, arrivedAt) {
    if (!this.isOpen) {
      this.isOpen = true;
      this.load.onOpen();
    }
    const content = event.indexOf(CONTENT);
    if (content >= 0) {
      const at = content + CONTENT.length;
      const text = event.slice(at, event.indexOf('"', at));
      if (text !== '') this.readTokens(text, arrivedAt);
    } else if (event.includes(this.load.request.end)) {
      this.isWhole = true;
      this.socket.destroy();
    }
  }

  /** @param {string} text @param {number} arrivedAt */
  readTokens(text, arrivedAt) {
    const [first, last] = this.load.request.counted;
    const before = this.tokens;
    for (let at = 0; at < text.length; at += TOKEN_LENGTH) {
      const n = this.tokens++;
      if (n >= first && n <= last) this.load.onToken(readTimestamp(text, at), arrivedAt);
    }
    this.checksum = zlib.crc32(text, this.checksum);
    if (before <= last && this.tokens > first) this.load.events += 1;
  }
}

class StreamLoad {
  /** Events with tokens that count. */
  events = 0;
  /** @type {Reading['received']} */
  #received = {};
  /** @type {Map<string, number>} streams by failure */
  #failures = new Map();
  #tokens = 0;
  #begun = 0;
  #opened = 0;
  #closed = 0;
  #firstAt = Infinity;
  #lastAt = 0;
  #isReported = false;

  /** @param {StreamRequest} request */
  constructor(request) {
    this.request = request;
    this.size = request.paths.length;
    this.delays = new Float64Array(this.size * (request.counted[1] - request.counted[0] + 1));
    for (let i = 0; i < OPENING; i += 1) this.#openNext();
  }

  #openNext() {
    const path = this.request.paths[this.#begun];
    if (path !== undefined) new StreamReader(this, path, this.#begun++);
  }

  onOpen() {
    this.#opened += 1;
    if (this.#opened === this.size) process.send?.({ opened: true });
    this.#openNext();
  }

  /** @param {number} producedAt @param {number} arrivedAt */
  onToken(producedAt, arrivedAt) {
    this.delays[this.#tokens++] = arrivedAt - producedAt;
    if (producedAt < this.#firstAt) this.#firstAt = producedAt;
    this.#lastAt = arrivedAt;
  }

  /** @param {string} why */
  fail(why) {
    this.#failures.set(why, (this.#failures.get(why) ?? 0) + 1);
  }

  /** @param {StreamReader} reader */
  onClose({ index, tokens, checksum, isWhole }) {
    if (!isWhole) this.fail('broken off');
    this.#received[index] = [tokens, checksum];
    this.#closed += 1;
    // If one stream does not open, the parent never starts the others.
    if (this.#closed === this.size || this.#opened < this.size) this.#report();
  }

  #report() {
    if (this.#isReported) return;
    this.#isReported = true;
    const delays = this.delays.subarray(0, this.#tokens).sort();
    process.send?.({
      p50Ms: percentile(delays, 0.5) / 1000,
      p99Ms: percentile(delays, 0.99) / 1000,
      maxMs: percentile(delays, 1) / 1000,
      tokens: this.#tokens,
      events: this.events,
      seconds: (this.#lastAt - this.#firstAt) / 1e6,
      received: this.#received,
      faults: [...this.#failures].map(([why, count]) => `${count} of ${this.size} streams: ${why}`),
    });
  }
}

process.on('message', (/** @type {StreamRequest} */ request) => new StreamLoad(request));
// Keeps the process running between two requests.
process.channel?.ref();
