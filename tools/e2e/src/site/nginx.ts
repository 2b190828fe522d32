import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { findFreePort, isFree, waitFor } from '@inference/testing';
import { ROOT, type ServiceProcess } from './service-process';

/** The program of that name, or undefined when none is installed. */
export function findProgram(name: string): string | undefined {
  return `${process.env.PATH}${delimiter}/usr/sbin`
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));
}

const OWN_FOLDERS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

interface Tls {
  certificate: string;
  key: string;
}

const listenOf = (port: number, tls?: Tls) =>
  tls
    ? `listen 127.0.0.1:${port} ssl; ssl_certificate ${tls.certificate}; ssl_certificate_key ${tls.key};`
    : `listen 127.0.0.1:${port};`;

/** A proxy configuration with the defaults of nginx: responses are buffered, and requests use HTTP/1.0. */
const configurationOf = (folder: string, listen: string, target: string) => `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
  ${OWN_FOLDERS.map((use) => `${use}_temp_path ${folder}/${use};`).join(' ')}
  server {
    ${listen}
    location / { proxy_pass ${target}; }
  }
}
`;

const SHIPPED = join(ROOT, 'docker/nginx/nginx.conf');

/** nginx in front of services. */
export class Nginx {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  /** @param tls the certificate of `localhost`; without one the proxy speaks HTTP */
  static async start(program: string, target: string, tls?: Tls): Promise<Nginx> {
    const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
    const port = await findFreePort();
    const url = tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`;
    return Nginx.run(program, folder, url, port, configurationOf(folder, listenOf(port, tls), target));
  }

  /** With the file that operators get, on free ports and with the services of a test. */
  static async startShipped(
    program: string,
    services: Record<string, ServiceProcess>,
    { certificate, key }: Tls,
  ): Promise<Nginx> {
    const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
    const [port, plainPort] = [await findFreePort(), await findFreePort()];
    let text = readFileSync(SHIPPED, 'utf8');
    const replace = (shipped: string | RegExp, own: string) => {
      const replaced = text.replace(shipped, own);
      if (replaced === text) throw new Error(`${SHIPPED} has no ${String(shipped)}.`);
      text = replaced;
    };
    replace('worker_processes auto;', `worker_processes 1; daemon off; pid ${folder}/nginx.pid;`);
    replace('/dev/stdout', '/dev/null');
    replace('listen 80 ', `listen 127.0.0.1:${plainPort} `);
    replace('listen 443 ', `listen 127.0.0.1:${port} `);
    replace('/etc/nginx/tls/fullchain.pem', certificate);
    replace('/etc/nginx/tls/privkey.pem', key);
    for (const [name, { url }] of Object.entries(services))
      replace(new RegExp(`(?<=upstream ${name} \\{ server )[^;]+`), new URL(url).host);
    const temporary = OWN_FOLDERS.map((use) => `${use}_temp_path ${folder}/${use};`).join(' ');
    replace('http {', `http { ${temporary}`);
    return Nginx.run(program, folder, `https://127.0.0.1:${port}`, port, text);
  }

  private static async run(
    program: string,
    folder: string,
    url: string,
    port: number,
    configuration: string,
  ): Promise<Nginx> {
    const file = join(folder, 'nginx.conf');
    writeFileSync(file, configuration);
    const child = spawn(program, ['-p', folder, '-c', file, '-e', 'stderr'], { stdio: 'ignore' });
    await waitFor(async () => !(await isFree(port)));
    return new Nginx(url, child, folder);
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    if (this.child.exitCode === null && this.child.kill('SIGTERM')) await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }
}
