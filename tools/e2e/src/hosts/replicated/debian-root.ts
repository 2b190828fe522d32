import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const RELEASE = 'trixie';
const PACKAGES = ['postgresql-17', 'patroni', 'python3-etcd', 'etcd-server', 'haproxy', 'redis-server'];
/** Folders of the servers that are mounted. */
const MOUNT_POINTS = ['data'];

export const POSTGRES_PROGRAMS = '/usr/lib/postgresql/17/bin';

/** The root file system of the hosts that are not the product's: Debian with the servers of a site. Making it takes a minute and a half. */
export class DebianRoot {
  private readonly folder = mkdtempSync(join(tmpdir(), 'debian-root-'));
  readonly path = join(this.folder, 'root');

  make(): void {
    const options = [
      '--quiet',
      '--variant=apt',
      `--include=${PACKAGES.join()}`,
      '--dpkgopt=path-exclude=/usr/share/doc/*',
      '--dpkgopt=path-exclude=/usr/share/locale/*',
    ];
    // mmdebstrap would make devices; those of this machine are mounted.
    const archive = join(this.folder, 'root.tar');
    execFileSync('mmdebstrap', [...options, RELEASE, archive], { stdio: 'pipe', maxBuffer: 64 * 2 ** 20 });
    mkdirSync(this.path);
    execFileSync('tar', ['--extract', '--file', archive, '--directory', this.path, '--exclude=./dev/*']);
    rmSync(archive);
    for (const name of MOUNT_POINTS) mkdirSync(join(this.path, name));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
