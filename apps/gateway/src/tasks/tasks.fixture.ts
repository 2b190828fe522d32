import { type IncomingMessage, type ServerResponse } from 'node:http';

/** Answers of a server of models with one task, and what is sent to it. */

export type Script = (request: IncomingMessage, response: ServerResponse, body: string) => void;

export const json =
  (value: unknown, status = 200): Script =>
  (_request, response) =>
    void response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));

export const events =
  (...data: unknown[]): Script =>
  (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    for (const one of data)
      response.write(`data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`);
    response.end();
  };

/** Pieces of audio, one after another until a test ends them: the gateway sends one when it has the next, and may read two as one. */
export class GrowingAudio {
  sent = '';
  response!: ServerResponse;

  readonly script: Script = (_request, response) => {
    this.response = response;
    response.writeHead(200, { 'Content-Type': 'audio/mpeg' });
    this.grow();
    const growing = setInterval(() => this.grow(), 20);
    response.on('close', () => clearInterval(growing));
  };

  /** Returns all that was sent. */
  end(): string {
    this.response.end('end');
    return `${this.sent}end`;
  }

  private grow(): void {
    if (this.response.writableEnded || this.response.destroyed) return;
    const piece = `${this.sent.length} `;
    this.sent += piece;
    this.response.write(piece);
  }
}

/** A WAV of so many seconds: 8-bit PCM at 1,000 Hz. */
export function wav(seconds: number): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + seconds * 1_000, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(1_000, 24);
  head.writeUInt32LE(1_000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(seconds * 1_000, 40);
  return Buffer.concat([head, Buffer.alloc(seconds * 1_000)]);
}
