import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@inference/testing';
import { type HostNetwork } from '../host-network';
import { ROOT } from '../../site/service-process';
import { POSTGRES_PROGRAMS } from './debian-root';
import { ServerProcess } from './server-process';

export const DATABASE_HOSTS = ['database-1', 'database-2', 'database-3'];
const START_MILLIS = 120_000;

/** Undefined if the process has ended. */
function nameOf(pid: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return undefined;
  }
}

interface PatroniState {
  replication_state?: string;
  sync_standby?: boolean;
}

/** PostgreSQL with Patroni and etcd on three hosts. */
export class DatabaseCluster {
  private readonly servers: ReadonlyMap<string, ServerProcess[]>;

  constructor(
    root: string,
    private readonly network: HostNetwork,
    password: string,
  ) {
    const peers = DATABASE_HOSTS.map((name) => `${name}=http://${name}:2380`).join();
    const etcdHosts = DATABASE_HOSTS.map((name) => `${name}:2379`).join();
    this.servers = new Map(
      DATABASE_HOSTS.map((name) => {
        const host = network.hosts.get(name)!;
        const etcd = {
          name: 'etcd',
          command: [
            ...['etcd', '--name', name, '--data-dir', '/data/etcd'],
            ...[
              '--listen-client-urls',
              'http://0.0.0.0:2379',
              '--advertise-client-urls',
              `http://${name}:2379`,
            ],
            ...[
              '--listen-peer-urls',
              'http://0.0.0.0:2380',
              '--initial-advertise-peer-urls',
              `http://${name}:2380`,
            ],
            ...['--initial-cluster', peers, '--initial-cluster-state', 'new'],
          ],
        };
        const patroni = {
          name: 'patroni',
          command: ['patroni', '/run/patroni.yaml'],
          files: [join(ROOT, 'docker/patroni/patroni.yaml')],
          environment: {
            PATRONI_NAME: name,
            PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${name}:5432`,
            PATRONI_RESTAPI_CONNECT_ADDRESS: `${name}:8008`,
            PATRONI_ETCD3_HOSTS: etcdHosts,
            PATRONI_POSTGRESQL_BIN_DIR: POSTGRES_PROGRAMS,
            PATRONI_POSTGRESQL_DATA_DIR: '/data/postgres',
            PATRONI_POSTGRESQL_PGPASS: '/tmp/pgpass',
            PATRONI_SUPERUSER_PASSWORD: password,
            PATRONI_REPLICATION_PASSWORD: password,
            PATRONI_RESTAPI_USERNAME: 'patroni',
            PATRONI_RESTAPI_PASSWORD: password,
          },
        };
        return [name, [etcd, patroni].map((server) => new ServerProcess(root, network, host, server))];
      }),
    );
  }

  /** Resolves when there is a primary, and a replica that has every commit. */
  async start(): Promise<void> {
    for (const server of [...this.servers.values()].flat()) server.start();
    await waitFor(() => this.untilComplete(), START_MILLIS);
  }

  /** kill -9 of every process of PostgreSQL on a host. */
  killPostgres(name: string): void {
    const { namespace } = this.network.hosts.get(name)!;
    const pids = execFileSync('ip', ['netns', 'pids', namespace], { encoding: 'utf8' }).trim().split('\n');
    const servers = pids.filter((pid) => nameOf(pid) === 'postgres');
    // Some end by themselves when the first one has ended.
    spawnSync('kill', ['-9', ...servers]);
  }

  /** The host whose server takes writes, if there is one. */
  async primary(): Promise<string | undefined> {
    const states = await this.answers('primary');
    return DATABASE_HOSTS.find((_, index) => states[index]);
  }

  /** True once there is a primary, and the other two follow it, one of them with every commit. */
  async untilComplete(): Promise<boolean> {
    const states = await this.answers('replica');
    const followers = states.filter((state) => state?.replication_state === 'streaming');
    return (
      followers.length === 2 &&
      followers.some((state) => state?.sync_standby) &&
      (await this.primary()) !== undefined
    );
  }

  async remove(): Promise<void> {
    await Promise.all([...this.servers.values()].flat().map((server) => server.remove()));
  }

  /** What Patroni says about each server, as far as it says that the server has this role. */
  private answers(role: string): Promise<(PatroniState | undefined)[]> {
    return Promise.all(
      DATABASE_HOSTS.map(async (name) => {
        const url = `http://${this.network.hosts.get(name)!.address}:8008/${role}`;
        try {
          const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
          return response.ok ? ((await response.json()) as PatroniState) : undefined;
        } catch {
          return undefined;
        }
      }),
    );
  }
}
