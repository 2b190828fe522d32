import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ip = (...args: string[]) => execFileSync('ip', args, { encoding: 'utf8', stdio: 'pipe' });

/** A host with an address of its own: a network namespace. */
export interface Host {
  name: string;
  namespace: string;
  address: string;
}

/**
 * Hosts with names and addresses of their own, connected by a switch, and this process beside them. Needs root, and
 * `ip` of Debian's package iproute2. The network is one of the range for benchmarks (RFC 2544), which nobody routes.
 */
export class HostNetwork {
  /** In the form of /etc/hosts. */
  readonly hostsFile: string;
  private readonly folder = mkdtempSync(join(tmpdir(), 'hosts-'));
  private readonly id = randomBytes(3).toString('hex');
  private readonly prefix = `198.18.${randomBytes(1)[0]}`;
  /** The range of the hosts' addresses. */
  readonly range = `${this.prefix}.0/24`;
  private readonly hosts: Host[] = [];
  private readonly bridge = `b${this.id}`;

  constructor() {
    this.hostsFile = join(this.folder, 'hosts');
    ip('link', 'add', this.bridge, 'type', 'bridge');
    ip('address', 'add', `${this.prefix}.1/24`, 'dev', this.bridge);
    ip('link', 'set', this.bridge, 'up');
  }

  addHost(name: string): Host {
    const number = this.hosts.length + 2;
    const host = { name, namespace: `${this.id}-${name}`, address: `${this.prefix}.${number}` };
    const { namespace, address } = host;
    ip('netns', 'add', namespace);
    this.hosts.push(host);
    ip('link', 'add', this.portOf(host), 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
    ip('link', 'set', this.portOf(host), 'master', this.bridge, 'up');
    ip('-netns', namespace, 'address', 'add', `${address}/24`, 'dev', 'eth0');
    for (const device of ['lo', 'eth0']) ip('-netns', namespace, 'link', 'set', device, 'up');
    const lines = this.hosts.map((known) => `${known.address} ${known.name}\n`);
    writeFileSync(this.hostsFile, `127.0.0.1 localhost\n${lines.join('')}`);
    return host;
  }

  /** Pulls the plug: packets get lost in both directions, and no connection is closed. */
  cut(host: Host): void {
    ip('link', 'set', this.portOf(host), 'down');
  }

  mend(host: Host): void {
    ip('link', 'set', this.portOf(host), 'up');
  }

  /** Call it after the processes of the hosts have ended. */
  remove(): void {
    for (const { namespace } of this.hosts.splice(0)) ip('netns', 'delete', namespace);
    ip('link', 'delete', this.bridge);
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The end of the host's cable at the switch. */
  private portOf(host: Host): string {
    return `p${this.id}${this.hosts.indexOf(host)}`;
  }
}
