import { join } from 'node:path';
import { APPS } from './app-config';
import { services as composeServices } from './compose-file';
import { findObstacle, type Kinds, MANIFESTS, ofKind, podsOf, render } from './kubernetes/manifests';
import { type Endpoint, isAllowed, matches } from './kubernetes/network-policies';

const HTTP_PORT = 3000;
const METRICS_PORT = 9090;
const RELAY_PORT = 3100;
const POSTGRES_PORT = 5432;
const REDIS_PORT = 6379;
const DNS_PORT = 53;
/** compose.yaml has no address of these, because its operator starts the check of all figures by hand. */
const RECONCILE = 'reconcile';
/** Services that get CONSOLE_URL and do not call it: they accept API keys, which they check in the database. */
const WITHOUT_SESSIONS = ['agent', 'gateway'];

const INGRESS_CONTROLLER = outside('ingress-nginx', {});
const PROMETHEUS = outside('monitoring', {});
const DNS = outside('kube-system', { 'k8s-app': 'kube-dns' });
const STRANGER = outside('elsewhere', { 'app.kubernetes.io/name': 'console' });

/** A pod of another namespace. */
function outside(namespace: string, labels: Endpoint['labels']): Endpoint {
  return { labels, namespaceLabels: { 'kubernetes.io/metadata.name': namespace } };
}

/** Who connects to what, as the addresses in docker/compose.yaml say: `console → gateway:3000`. */
function callsOfCompose(): string[] {
  return Object.entries(composeServices).flatMap(([name, { environment = {} }]) =>
    Object.entries(environment).flatMap(([variable, value]) => {
      if (variable === 'CONSOLE_URL' && WITHOUT_SESSIONS.includes(name)) return [];
      // The host follows the slashes, a password or the default of a variable.
      const [, host, port] = /(?:\/|@)([a-z-]+):(\d+)/.exec(value) ?? [];
      return host && host !== 'host' ? [`${name} → ${host}:${port}`] : [];
    }),
  );
}

const sorted = (texts: string[]): string[] => [...new Set(texts)].sort();

const obstacle = findObstacle();
const describeIfPossible = obstacle ? describe.skip : describe;
if (obstacle) test.skip(`the manifests cannot be rendered: ${obstacle}`, () => undefined);

describeIfPossible.each(['intl', 'cn'])('the network policies of %s', (site) => {
  let policies: Kinds['NetworkPolicy'][];
  let pods: [name: string, pod: Endpoint][];

  beforeAll(() => {
    const manifests = render(join(MANIFESTS, 'overlays', site));
    policies = ofKind(manifests, 'NetworkPolicy');
    pods = [...podsOf(manifests)].map(([name, { metadata }]) => [name, { labels: metadata.labels }]);
  });

  /** The pods that may connect to something outside. */
  const callersOf = (target: Endpoint, port: number, protocol?: string): string[] =>
    pods.filter(([, pod]) => isAllowed(policies, pod, target, port, protocol)).map(([name]) => name);
  /** The pods that something outside may connect to. */
  const reachableFrom = (source: Endpoint, port: number): string[] =>
    pods.filter(([, pod]) => isAllowed(policies, source, pod, port)).map(([name]) => name);
  const callersInCompose = (address: string): string[] =>
    sorted(callsOfCompose().filter((call) => call.endsWith(address))).map((call) => call.split(' ')[0]!);

  test('allow between pods exactly the calls of docker/compose.yaml', () => {
    const allowed = pods.flatMap(([caller, source]) =>
      pods.flatMap(([callee, target]) =>
        [HTTP_PORT, METRICS_PORT, POSTGRES_PORT]
          .filter((port) => caller !== callee && isAllowed(policies, source, target, port))
          .map((port) => `${caller} → ${callee}:${port}`),
      ),
    );
    const calls = callsOfCompose().filter((call) => call.endsWith(`:${HTTP_PORT}`));
    expect(calls).toContain(`memo → gateway:${HTTP_PORT}`);
    expect(sorted(allowed)).toEqual(sorted(calls));
  });

  test('let gateways, and nobody else, ask each other', () => {
    const gateway: Endpoint = { labels: { 'app.kubernetes.io/name': 'gateway' } };
    expect(callersOf(gateway, RELAY_PORT)).toEqual(['gateway']);
    expect(reachableFrom(STRANGER, RELAY_PORT)).toEqual([]);
  });

  test('let the pods reach database and Redis as docker/compose.yaml does', () => {
    expect(callersOf(STRANGER, POSTGRES_PORT).sort()).toEqual(
      sorted([...callersInCompose(`postgres:${POSTGRES_PORT}`), RECONCILE]),
    );
    expect(callersOf(STRANGER, REDIS_PORT)).toEqual(callersInCompose(`redis:${REDIS_PORT}`));
  });

  test.each([
    ['by https', 443, ['console', 'gateway', 'usage-archive']],
    ['model servers', 8000, ['gateway']],
    ['the receiver of traces', 4318, APPS],
    ['mail servers', 465, ['console']],
    ['mail servers', 587, ['console']],
    ['the metadata of the cloud', 80, []],
    ['services of other namespaces', HTTP_PORT, []],
  ])('let only these pods reach %s on port %i: %j', (_what, port, callers) => {
    expect(callersOf(STRANGER, port).sort()).toEqual(callers);
  });

  test('let every pod ask for names', () => {
    for (const protocol of ['UDP', 'TCP'])
      expect(callersOf(DNS, DNS_PORT, protocol)).toHaveLength(pods.length);
    expect(callersOf(STRANGER, DNS_PORT, 'UDP')).toEqual([]);
  });

  test('let the ingress controller in on the public port, Prometheus on that of the metrics, and nobody else', () => {
    expect(reachableFrom(INGRESS_CONTROLLER, HTTP_PORT).sort()).toEqual(APPS);
    expect(reachableFrom(INGRESS_CONTROLLER, METRICS_PORT)).toEqual([]);
    expect(reachableFrom(PROMETHEUS, METRICS_PORT).sort()).toEqual(APPS);
    expect(reachableFrom(PROMETHEUS, HTTP_PORT)).toEqual([]);
    expect(reachableFrom(STRANGER, HTTP_PORT)).toEqual([]);
    expect(reachableFrom(STRANGER, METRICS_PORT)).toEqual([]);
  });

  test('each select a pod', () => {
    for (const { metadata, spec } of policies)
      expect([metadata.name, pods.some(([, { labels }]) => matches(spec.podSelector, labels))]).toEqual([
        metadata.name,
        true,
      ]);
  });
});
