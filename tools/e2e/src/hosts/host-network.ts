import { execFileSync } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ip = (...args: string[]) => execFileSync('ip', args, { encoding: 'utf8', stdio: 'pipe' });

/** A host with an address of its own: a network namespace. */
export interface Host {
  name: string;
  namespace: string;
  address: string;
}

/** One of the range for benchmarks (RFC 2544), which nobody routes. */
const randomPrefix = () => `198.${randomInt(18, 20)}.${randomInt(256)}`;

/** Keeps the kernel from giving a device of this machine an IPv6 address by itself. */
function preventIpv6Address(device: string): void {
  if (existsSync('/proc/sys/net/ipv6')) ip('link', 'set', device, 'addrgenmode', 'none');
}

/**
 * Hosts with names and addresses of their own, connected by a switch, and this process beside them. Needs root, `ip` of
 * Debian's package iproute2, and an address by which this machine reaches others. It adds no address to this machine:
 * Chromium aborts requests that wait for a connection when an address is added or removed (`ERR_NETWORK_CHANGED`), and
 * tests with Chromium run at the same time.
 */
export class HostNetwork {
  readonly hosts: ReadonlyMap<string, Host>;
  /** The range of the hosts' addresses. */
  private readonly range: string;
  private readonly id = randomBytes(3).toString('hex');
  private readonly prefix = randomPrefix();
  private readonly bridge = `b${this.id}`;
  private readonly folder = mkdtempSync(join(tmpdir(), 'hosts-'));
  /** In the form of /etc/hosts. */
  readonly hostsFile = join(this.folder, 'hosts');
  /** This process connects to the hosts from it. Known after `create`. */
  private machineAddress = '';

  constructor(names: string[]) {
    this.range = `${this.prefix}.0/24`;
    const hosts = names.map((name, index) => ({
      name,
      namespace: `${this.id}-${name}`,
      address: `${this.prefix}.${index + 2}`,
    }));
    this.hosts = new Map(hosts.map((host) => [host.name, host]));
    const lines = hosts.map(({ address, name }) => `${address} ${name}\n`);
    writeFileSync(this.hostsFile, `127.0.0.1 localhost\n${lines.join('')}`);
  }

  create(): void {
    ip('link', 'add', this.bridge, 'type', 'bridge');
    preventIpv6Address(this.bridge);
    ip('link', 'set', this.bridge, 'up');
    this.machineAddress = this.findMachineAddress();
    ip('route', 'add', this.range, 'dev', this.bridge, 'src', this.machineAddress);
    for (const host of this.hosts.values()) {
      const { namespace, address } = host;
      ip('netns', 'add', namespace);
      const port = this.portOf(host);
      ip('link', 'add', port, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
      preventIpv6Address(port);
      ip('link', 'set', port, 'master', this.bridge, 'up');
      ip('-netns', namespace, 'address', 'add', `${address}/24`, 'dev', 'eth0');
      for (const device of ['lo', 'eth0']) ip('-netns', namespace, 'link', 'set', device, 'up');
      ip('-netns', namespace, 'route', 'add', this.machineAddress, 'dev', 'eth0');
    }
  }

  /** The ranges of the addresses from which the hosts and this process connect. Call it after `create`. */
  get clientRanges(): string[] {
    return [this.range, `${this.machineAddress}/32`];
  }

  /** Pulls the plug: nothing reaches the host any more, and nothing that it sends arrives. */
  cut(name: string): void {
    ip('link', 'set', this.portOf(this.hosts.get(name)!), 'down');
  }

  mend(name: string): void {
    ip('link', 'set', this.portOf(this.hosts.get(name)!), 'up');
  }

  /** Lets the host receive no more than so many kbit/s, and the packets of most 400 ms wait. */
  slow(name: string, kilobits: number): void {
    const limit = ['tbf', 'rate', `${kilobits}kbit`, 'burst', '32kbit', 'latency', '400ms'];
    execFileSync('tc', ['qdisc', 'add', 'dev', this.portOf(this.hosts.get(name)!), 'root', ...limit]);
  }

  unslow(name: string): void {
    execFileSync('tc', ['qdisc', 'del', 'dev', this.portOf(this.hosts.get(name)!), 'root']);
  }

  /** Sets a parameter of the kernel for one host. */
  set(name: string, parameter: string, value: number): void {
    ip('netns', 'exec', this.hosts.get(name)!.namespace, 'sysctl', '--quiet', `${parameter}=${value}`);
  }

  /** The address from which this machine reaches others. */
  private findMachineAddress(): string {
    const [host] = this.hosts.values();
    const address = /\bsrc (\S+)/.exec(ip('route', 'get', host!.address))?.[1];
    if (!address) throw new Error('This machine has no address by which it reaches others.');
    return address;
  }

  /** Of the switch, by which it is connected to the host. */
  private portOf({ address }: Host): string {
    return `p${this.id}${address.split('.')[3]}`;
  }

  /** Call it after the processes of the hosts have ended. It also removes what `create` has left unfinished. */
  remove(): void {
    const namespaces = ip('netns', 'list').match(/^\S+/gm) ?? [];
    for (const namespace of namespaces)
      if (namespace.startsWith(`${this.id}-`)) ip('netns', 'delete', namespace);
    if (ip('-brief', 'link').includes(this.bridge)) ip('link', 'delete', this.bridge);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
