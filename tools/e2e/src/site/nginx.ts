import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { waitFor } from '@inference/testing';
import { findFreePort } from './ports';

/** The program of that name, or undefined when none is installed. */
export function findProgram(name: string): string | undefined {
  return `${process.env.PATH}${delimiter}/usr/sbin`
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));
}

const OWN_FOLDERS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/** A proxy configuration with the defaults of nginx: responses are buffered, and requests use HTTP/1.0. */
const configurationOf = (folder: string, port: number, target: string) => `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
  ${OWN_FOLDERS.map((use) => `${use}_temp_path ${folder}/${use};`).join(' ')}
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass ${target}; }
  }
}
`;

/** nginx in front of a service. */
export class Nginx {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  static async start(program: string, target: string): Promise<Nginx> {
    const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
    const port = await findFreePort();
    const file = join(folder, 'nginx.conf');
    writeFileSync(file, configurationOf(folder, port, target));
    const child = spawn(program, ['-p', folder, '-c', file, '-e', 'stderr'], { stdio: 'ignore' });
    const nginx = new Nginx(`http://127.0.0.1:${port}`, child, folder);
    await waitFor(async () => (await fetch(`${nginx.url}/healthz`)).ok);
    return nginx;
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    if (this.child.exitCode === null && this.child.kill('SIGTERM')) await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }
}
