import net from 'node:net';
import zlib from 'node:zlib';
import { percentile } from './report.mjs';
import { nowMicros, readStamp, STAMP_LENGTH } from './stream-clock.mjs';

/**
 * Reads many event streams at once, at as little cost as possible: sockets, and no more of HTTP than the servers here
 * send. Its parent sends an order, is told when all streams are `opened`, and at their end what came.
 *
 * @typedef {object} Order
 * @property {number} port on loopback
 * @property {string[]} paths one for each stream, whose message is its place in the list
 * @property {Record<string, string>} headers
 * @property {string} end in the last frame of a stream that is whole
 * @property {[number, number]} counted the first and the last token of each stream whose delay counts, from 0
 *
 * @typedef {object} Reading
 * @property {number} p50Ms from the moment in which a token was produced to its arrival
 * @property {number} p99Ms
 * @property {number} maxMs
 * @property {number} tokens that count
 * @property {number} frames that brought them
 * @property {number} seconds from the first of those, as it was produced, to the last arrival
 * @property {Record<string, [number, number]>} received by stream, tokens and the checksum of their text
 * @property {string[]} faults
 */

/** So many streams are being opened at a time. */
const OPENING = 32;
const CONTENT = '"content":"';
/** One for all sockets: what is read is looked at before the next one reads. */
const buffer = Buffer.allocUnsafe(65_536);

class StreamReader {
  /** What came and is not understood yet. */
  raw = '';
  body = '';
  /** Of the chunk that is being read, with the line break after it; null before the headers have ended. */
  left = null;
  tokens = 0;
  checksum = 0;
  isChunked = true;
  isOpen = false;
  isWhole = false;

  constructor(load, path, index) {
    this.load = load;
    this.index = index;
    const { port, headers } = load.order;
    const body = JSON.stringify({ role: 'user', content: String(index) });
    const onread = { buffer, callback: (length) => this.onBytes(length) };
    this.socket = net.connect({ port, host: '127.0.0.1', onread });
    this.socket.setNoDelay(true);
    this.socket.on('error', (error) => load.fail(error.message));
    this.socket.on('close', () => load.onClose(this));
    const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body) });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    this.socket.write(`POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${head}\r\n${body}`);
  }

  onBytes(length) {
    const arrivedAt = nowMicros();
    this.raw += buffer.latin1Slice(0, length);
    if (this.left === null && !this.readHead()) return true;
    this.unwrap();
    this.readFrames(arrivedAt);
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

  /** Takes the body out of its chunks, if it is in any: otherwise it ends with the connection. */
  unwrap() {
    const { raw } = this;
    if (!this.isChunked) {
      this.body += raw;
      this.raw = '';
      return;
    }
    let at = 0;
    for (;;) {
      if (this.left === 0) {
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

  readFrames(arrivedAt) {
    let at = 0;
    for (let end; (end = this.body.indexOf('\n\n', at)) >= 0; at = end + 2) {
      this.readFrame(this.body.slice(at, end), arrivedAt);
    }
    this.body = this.body.slice(at);
  }

  readFrame(frame, arrivedAt) {
    if (!this.isOpen) {
      this.isOpen = true;
      this.load.onOpen();
    }
    const content = frame.indexOf(CONTENT);
    if (content >= 0) {
      const at = content + CONTENT.length;
      const text = frame.slice(at, frame.indexOf('"', at));
      if (text !== '') this.readTokens(text, arrivedAt);
    } else if (frame.includes(this.load.order.end)) {
      this.isWhole = true;
      this.socket.destroy();
    }
  }

  readTokens(text, arrivedAt) {
    const [first, last] = this.load.order.counted;
    const before = this.tokens;
    for (let at = 0; at < text.length; at += STAMP_LENGTH) {
      const n = this.tokens++;
      if (n >= first && n <= last) this.load.onToken(readStamp(text, at), arrivedAt);
    }
    this.checksum = zlib.crc32(text, this.checksum);
    if (before <= last && this.tokens > first) this.load.frames += 1;
  }
}

class StreamLoad {
  /** Those that brought tokens that count. */
  frames = 0;
  #received = {};
  #failures = new Map();
  #tokens = 0;
  #begun = 0;
  #opened = 0;
  #closed = 0;
  #firstAt = Infinity;
  #lastAt = 0;
  #isReported = false;

  /** @param {Order} order */
  constructor(order) {
    this.order = order;
    this.size = order.paths.length;
    this.delays = new Float64Array(this.size * (order.counted[1] - order.counted[0] + 1));
    for (let i = 0; i < OPENING; i += 1) this.#openNext();
  }

  #openNext() {
    if (this.#begun < this.size) new StreamReader(this, this.order.paths[this.#begun], this.#begun++);
  }

  onOpen() {
    this.#opened += 1;
    if (this.#opened === this.size) process.send({ opened: true });
    this.#openNext();
  }

  onToken(producedAt, arrivedAt) {
    this.delays[this.#tokens++] = arrivedAt - producedAt;
    if (producedAt < this.#firstAt) this.#firstAt = producedAt;
    this.#lastAt = arrivedAt;
  }

  fail(why) {
    this.#failures.set(why, (this.#failures.get(why) ?? 0) + 1);
  }

  onClose({ index, tokens, checksum, isWhole }) {
    if (!isWhole) this.fail('broken off');
    this.#received[index] = [tokens, checksum];
    this.#closed += 1;
    // Without one of them the others would wait for ever.
    if (this.#closed === this.size || this.#opened < this.size) this.#report();
  }

  #report() {
    if (this.#isReported) return;
    this.#isReported = true;
    const delays = this.delays.subarray(0, this.#tokens).sort();
    process.send({
      p50Ms: percentile(delays, 0.5) / 1000,
      p99Ms: percentile(delays, 0.99) / 1000,
      maxMs: percentile(delays, 1) / 1000,
      tokens: this.#tokens,
      frames: this.frames,
      seconds: (this.#lastAt - this.#firstAt) / 1e6,
      received: this.#received,
      faults: [...this.#failures].map(([why, count]) => `${count} of ${this.size} streams: ${why}`),
    });
  }
}

process.on('message', (order) => new StreamLoad(order));
// Nothing else keeps it here between two orders.
process.channel.ref();
