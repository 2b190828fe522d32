import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { get as httpGet, type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createService } from '@inference/http';
import { type FolderStorage, signLink } from '@inference/storage';
import {
  createTestDatabase,
  rememberEnvironment,
  rememberSecret,
  type TestDatabase,
} from '@inference/testing';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from '../../app.module';
import { readConsoleConfig } from '../../config';
import { ENTITIES } from '../../entities';
import { SERVICE_OPTIONS } from '../../service-options';
import { testEnvironment } from '../../testing/console.fixture';
import { OBJECT_STORAGE } from './object-storage.provider';

export interface FileResponse {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

export type Headers = Record<string, string | string[]>;

export const errorOf = ({ body }: FileResponse) => (JSON.parse(body.toString()) as { error: string }).error;

async function read(response: IncomingMessage): Promise<FileResponse> {
  const body = Buffer.concat((await response.toArray()) as Buffer[]);
  return { status: response.statusCode!, headers: response.headers, body };
}

/** Reads the responses of a connection until it ends; each has a Content-Length. */
export async function readResponses(socket: Socket): Promise<{ status: number; body: Buffer }[]> {
  const bytes = Buffer.concat((await socket.toArray()) as Buffer[]);
  const responses = [];
  for (let at = 0; at < bytes.length;) {
    const start = bytes.indexOf('\r\n\r\n', at) + 4;
    const head = bytes.toString('latin1', at, start);
    at = start + Number(/^content-length: (\d+)\r$/im.exec(head)![1]);
    responses.push({ status: Number(head.split(' ')[1]), body: bytes.subarray(start, at) });
  }
  return responses;
}

/** A console with its own storage folder, whose log and open files can be inspected. */
export class FileSite {
  readonly log: Record<string, unknown>[] = [];
  /** Sockets of the server, in order of arrival. */
  readonly sockets: Socket[] = [];
  /** Responses of the server, in the order of their requests. */
  readonly responses: ServerResponse[] = [];
  private readonly opened = jest.spyOn(fs, 'createReadStream');
  readonly folder = fs.mkdtempSync(join(tmpdir(), 'files-'));
  readonly secrets = ['first-secret-of-the-links-of-a-test', 'second-secret-of-the-links-of-a-test'];
  storage!: FolderStorage;
  url!: string;
  private app!: NestExpressApplication;
  private closed: Promise<void> | undefined;

  static async start(databaseUrl: string, environment: Record<string, string> = {}): Promise<FileSite> {
    const site = new FileSite();
    const own = { STORAGE_FOLDER: site.folder, DOWNLOAD_LINK_SECRETS: site.secrets.join(',') };
    await site.open({ ...testEnvironment(databaseUrl), ...own, ...environment });
    return site;
  }

  private async open(environment: Record<string, string>): Promise<void> {
    for (const secret of this.secrets) rememberSecret(secret);
    rememberEnvironment(environment);
    const config = readConsoleConfig(environment);
    const logTo = {
      write: (line: string) => void this.log.push(JSON.parse(line) as Record<string, unknown>),
    };
    this.app = await createService(AppModule.forRoot(config), config, { ...SERVICE_OPTIONS, logTo });
    this.app.getHttpServer().on('connection', (socket: Socket) => this.sockets.push(socket));
    this.app.getHttpServer().on('request', (_request: IncomingMessage, answer: ServerResponse) => {
      this.responses.push(answer);
    });
    await this.app.listen(0, '127.0.0.1');
    this.url = `http://127.0.0.1:${this.port}`;
    this.storage = this.app.get(OBJECT_STORAGE);
  }

  private get port(): number {
    return (this.app.getHttpServer().address() as AddressInfo).port;
  }

  /** The read streams of all files that were opened for responses. */
  get fileStreams(): fs.ReadStream[] {
    return this.opened.mock.results.map(({ value }) => value as fs.ReadStream);
  }

  get lastFileStream(): fs.ReadStream {
    return this.fileStreams.at(-1)!;
  }

  async stop(): Promise<void> {
    await this.close();
    fs.rmSync(this.folder, { recursive: true, force: true });
  }

  close(): Promise<void> {
    return (this.closed ??= this.app.close());
  }

  async add(key: string, content: Buffer): Promise<void> {
    await this.storage.write(key, Readable.from([content]), content.length);
  }

  /** Adds a sparse file of zeros, which takes no disk space. */
  async addLarge(key: string, sizeBytes: number): Promise<void> {
    await this.add(key, Buffer.alloc(0));
    await fs.promises.truncate(join(this.folder, 'packages', key), sizeBytes);
  }

  /** A path with a valid signature for the given parts. */
  pathFor(key: string, { name = 'model.gguf', inSeconds = 900, secret = this.secrets[0]! } = {}): string {
    const expires = String(Math.ceil(Date.now() / 1000) + inSeconds);
    const signature = signLink({ key, fileName: name, expires }, [secret]);
    rememberSecret(signature);
    return `/api/files/${key}?name=${encodeURIComponent(name)}&expires=${expires}&signature=${signature}`;
  }

  request(path: string, headers: Headers = {}, method = 'GET'): Promise<FileResponse> {
    return new Promise((resolve, reject) => {
      const outgoing = httpRequest(this.url + path, { method, headers, agent: false }, (response) =>
        read(response).then(resolve, reject),
      );
      outgoing.on('error', reject).end();
    });
  }

  /** Resolves with a response of which only the headers are read. */
  requestHeaders(path: string): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      httpGet(this.url + path, { agent: false }, resolve).on('error', reject);
    });
  }

  /** Sends pipelined requests on one connection that closes after the last response. */
  pipeline(paths: string[]): Socket {
    const socket = connect(this.port, '127.0.0.1');
    const last = paths.length - 1;
    const requests = paths.map(
      (path, i) => `GET ${path} HTTP/1.1\r\nHost: a\r\n${i === last ? 'Connection: close\r\n' : ''}\r\n`,
    );
    socket.write(requests.join(''));
    return socket;
  }
}

export const SIZE = 1_000;
export const CONTENT = randomBytes(SIZE);
/** The entity tag of `file_1`. */
export const TAG = `"file_1-${SIZE}"`;

/** A site with the files `file_1`, which has the CONTENT, and `empty`. */
export class StoredFiles {
  private constructor(
    readonly database: TestDatabase,
    readonly site: FileSite,
  ) {}

  static async start(): Promise<StoredFiles> {
    const database = await createTestDatabase(ENTITIES);
    const site = await FileSite.start(database.urlFor('console'));
    await site.add('file_1', CONTENT);
    await site.add('empty', Buffer.alloc(0));
    return new StoredFiles(database, site);
  }

  async stop(): Promise<void> {
    await this.site.stop();
    await this.database.drop();
  }

  /** The `Last-Modified` of `file_1`. */
  get lastModified(): string {
    return fs.statSync(join(this.site.folder, 'packages', 'file_1')).mtime.toUTCString();
  }
}
