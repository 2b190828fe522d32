import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPrometheusConfig } from '../observability/prometheus-process';
import { ROOT } from '../site/service-process';
import { APPS, readConfig, readUsageArchiveConfig, usageArchiveVariables, variablesOf } from './app-config';
import { services as composeServices } from './compose-file';
import {
  type Container,
  environmentOf,
  find,
  findObstacle,
  generateSecrets,
  type Manifest,
  MANIFESTS,
  ofKind,
  podsOf,
  type PodTemplate,
  render,
} from './kubernetes/manifests';
import { type Labels, matches } from './kubernetes/network-policies';
import { schemaFaults, typeFaults } from './kubernetes/schemas';

const JOBS = ['migrate', 'reconcile', 'usage-archive'];
const HTTP_PORT = 3000;
const METRICS_PORT = 9090;
/** The endings of the names of variables with a credential; the addresses may have a password. */
const SECRET_VARIABLE =
  /(_TOKEN|_SECRETS?|_CREDENTIALS?|_KEYS?|_HEADERS|^API_KEY|^(DATABASE|REDIS|SMTP)\w*_URL)$/;
const PUBLIC_KEYS = ['ALIPAY_PUBLIC_KEY', 'WECHAT_PAY_PLATFORM_KEYS'];
const PAYMENTS_OF_OTHER_SITE: Record<string, RegExp> = { intl: /^(WECHAT_PAY|ALIPAY)_/, cn: /^STRIPE_/ };
const ANNOTATION = 'nginx.ingress.kubernetes.io';

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

const containersOf = ({ spec }: PodTemplate): Container[] => [
  ...(spec.initContainers ?? []),
  ...spec.containers,
];
const serviceOf = (pod: PodTemplate): Container => pod.spec.containers[0]!;

/** The names of the workloads whose pods a selector selects. */
const selected = (pods: Map<string, PodTemplate>, matchLabels: Labels): string[] =>
  [...pods].filter(([, { metadata }]) => matches({ matchLabels }, metadata.labels)).map(([name]) => name);

/** The overlay `intl` with a volume in place of the bucket and without PodMonitor, as an operator changes it. */
function renderWithSharedFolder(): Manifest[] {
  const folder = mkdtempSync(join(tmpdir(), 'kubernetes-'));
  try {
    cpSync(MANIFESTS, folder, { recursive: true });
    const overlay = join(folder, 'overlays/intl');
    const file = join(overlay, 'kustomization.yaml');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('components/pod-monitor', 'components/shared-folder'));
    writeFileSync(join(overlay, 'storage.env'), '');
    return render(overlay);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const SITES = {
  intl: { site: 'intl', hasSharedFolder: false, renderSite: () => render(join(MANIFESTS, 'overlays/intl')) },
  cn: { site: 'cn', hasSharedFolder: false, renderSite: () => render(join(MANIFESTS, 'overlays/cn')) },
  'intl with a shared folder': { site: 'intl', hasSharedFolder: true, renderSite: renderWithSharedFolder },
};

const obstacle = findObstacle();
const describeIfPossible = obstacle ? describe.skip : describe;
if (obstacle) test.skip(`the manifests cannot be rendered: ${obstacle}`, () => undefined);

describeIfPossible.each(Object.entries(SITES))('%s', (_name, { site, hasSharedFolder, renderSite }) => {
  let manifests: Manifest[];
  /** With the Secrets that the site has beside them. */
  let cluster: Manifest[];
  let pods: Map<string, PodTemplate>;

  beforeAll(() => {
    manifests = renderSite();
    cluster = [...manifests, ...generateSecrets(site)];
    pods = podsOf(manifests);
  });

  const podOf = (name: string): PodTemplate => pods.get(name)!;
  const configOf = (app: string) =>
    readConfig(app, environmentOf(serviceOf(podOf(app)), cluster)) as Record<string, number | undefined>;

  test('starts every app and every job', () => {
    expect([...pods.keys()].sort()).toEqual([...APPS, ...JOBS].sort());
    expect(
      ofKind(manifests, 'Deployment')
        .map(({ metadata }) => metadata.name)
        .sort(),
    ).toEqual(APPS);
  });

  test('has only fields and values that Kubernetes knows', () => {
    expect(cluster.map(schemaFaults).filter(Boolean)).toEqual([]);
    expect(typeFaults(cluster)).toEqual([]);
  });

  test('lies in one namespace, which the Secrets name too', () => {
    const namespaced = cluster.filter(({ kind }) => kind !== 'Namespace');
    expect(new Set(namespaced.map(({ metadata }) => metadata.namespace))).toEqual(
      new Set([`inference-${site}`]),
    );
    expect(cluster.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata.name)).toEqual([
      `inference-${site}`,
    ]);
  });

  test('has no secret in the repository', () => {
    expect(ofKind(manifests, 'Secret')).toEqual([]);
  });

  test('uses every Secret that is generated, and every ConfigMap', () => {
    const sources = [...pods.values()].flatMap(containersOf).flatMap(({ envFrom }) => envFrom);
    const names = (kind: 'Secret' | 'ConfigMap') =>
      ofKind(cluster, kind).map(({ metadata }) => metadata.name);
    const used = (all: (string | undefined)[]) =>
      [...new Set(all.filter((name) => name !== undefined))].sort();
    expect(used(sources.map(({ secretRef }) => secretRef?.name))).toEqual(names('Secret').sort());
    expect(used(sources.map(({ configMapRef }) => configMapRef?.name))).toEqual(names('ConfigMap').sort());
  });

  test.each(APPS)('%s gets only variables that it reads, and starts with them', (app) => {
    const container = serviceOf(podOf(app));
    const nodeOptions = composeServices[app]!.environment?.NODE_OPTIONS;
    expect(container.env).toEqual(nodeOptions && [{ name: 'NODE_OPTIONS', value: nodeOptions }]);
    const environment = environmentOf(container, cluster);
    const known = variablesOf(app);
    expect(Object.keys(environment).filter((name) => !known.includes(name))).toEqual([]);
    expect(readConfig(app, environment)).toMatchObject({ SITE: site, PORT: HTTP_PORT, METRICS_PORT });
  });

  test.each(APPS)('%s has a key in its Secrets for every variable that is secret', (app) => {
    const secretVariables = variablesOf(app).filter(
      (name) =>
        SECRET_VARIABLE.test(name) &&
        !PUBLIC_KEYS.includes(name) &&
        !PAYMENTS_OF_OTHER_SITE[site]!.test(name),
    );
    const keys = serviceOf(podOf(app)).envFrom.flatMap(({ secretRef }) =>
      secretRef ? Object.keys(find(cluster, 'Secret', secretRef.name).stringData) : [],
    );
    expect(secretVariables).not.toEqual([]);
    expect(keys).toEqual(expect.arrayContaining(secretVariables));
  });

  test('connects each service with a role of its own, at the address of the owner', () => {
    for (const app of APPS.filter((name) => name !== 'agent-environments')) {
      const { username, host, search } = new URL(environmentOf(serviceOf(podOf(app)), cluster).DATABASE_URL!);
      expect([username, host, search]).toEqual([
        app.replace('-', '_'),
        'db.example.com:5432',
        '?sslmode=require',
      ]);
    }
  });

  test('gives the passwords of the roles to the migration, and the owner to the jobs', () => {
    const environment = (job: string) => environmentOf(serviceOf(podOf(job)), cluster);
    const { DATABASE_URL: ownerUrl, ...passwords } = environment('migrate');
    expect(Object.keys(passwords).sort()).toEqual(
      Object.keys(composeServices.migrate!.environment!)
        .filter((name) => name !== 'DATABASE_URL')
        .sort(),
    );
    const consoleUrl = new URL(environmentOf(serviceOf(podOf('console')), cluster).DATABASE_URL!);
    expect(passwords.CONSOLE_DATABASE_PASSWORD).toBe(consoleUrl.password);
    expect(environment('reconcile')).toEqual({ DATABASE_URL: ownerUrl });
    const archive = environment('usage-archive');
    expect(Object.keys(archive).filter((name) => !usageArchiveVariables().includes(name))).toEqual([]);
    expect(archive.DATABASE_URL).toBe(ownerUrl);
    expect(readUsageArchiveConfig(archive)).toMatchObject({ databaseUrl: ownerUrl });
  });

  test('runs the images of this version, and programs that they have', () => {
    for (const [name, pod] of pods) {
      const [container, ...others] = containersOf(pod);
      expect(others).toEqual([]);
      const app = APPS.includes(name) ? name : 'console';
      expect(container!.image).toBe(`inference-platform/${app}:${version}`);
      const file = container!.command?.[1];
      expect(file === undefined || existsSync(join(ROOT, file))).toBe(true);
    }
  });

  test('runs without privileges, on a file system that it cannot write', () => {
    for (const pod of pods.values()) {
      expect(pod.spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      });
      for (const { securityContext, resources } of containersOf(pod)) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(Object.keys(resources.requests).sort()).toEqual(['cpu', 'memory']);
        expect(resources.limits).toHaveProperty('memory');
      }
    }
  });

  test('mounts the packages, and nothing else, where they are not in a bucket', () => {
    const mounts = [...pods].flatMap(([name, pod]) =>
      containersOf(pod).flatMap(({ volumeMounts = [] }) =>
        volumeMounts.map(({ mountPath }) => [name, mountPath, pod.spec.securityContext.fsGroup]),
      ),
    );
    expect(mounts.sort()).toEqual(
      hasSharedFolder ? ['console', 'usage-archive'].map((name) => [name, '/platform/storage', 1000]) : [],
    );
  });

  test('asks each service on the ports of its image whether it lives and is ready', () => {
    for (const app of APPS) {
      const { ports, startupProbe, livenessProbe, readinessProbe } = serviceOf(podOf(app));
      expect(ports).toEqual([
        { name: 'http', containerPort: HTTP_PORT },
        { name: 'metrics', containerPort: METRICS_PORT },
      ]);
      expect(startupProbe?.httpGet).toEqual({ path: '/livez', port: 'metrics' });
      expect(livenessProbe?.httpGet).toEqual({ path: '/livez', port: 'metrics' });
      expect(readinessProbe?.httpGet).toEqual({ path: '/healthz', port: 'http' });
    }
  });

  test('lets a service end what it has begun before it is killed', () => {
    for (const app of APPS) {
      const { spec } = podOf(app);
      // The other services wait for the requests that they answer.
      const { SHUTDOWN_GRACE_SECONDS: graceSeconds = 0 } = configOf(app);
      const pauseSeconds = serviceOf(podOf(app)).lifecycle!.preStop.sleep.seconds;
      expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(pauseSeconds + graceSeconds);
    }
  });

  test('replaces pods one by one, without one too few', () => {
    for (const { spec } of ofKind(manifests, 'Deployment')) {
      expect(spec.strategy).toEqual({
        type: 'RollingUpdate',
        rollingUpdate: { maxUnavailable: 0, maxSurge: 1 },
      });
      expect(spec.replicas).toBeUndefined();
    }
  });

  test.each(APPS)('%s has a Service, an autoscaler and a disruption budget that are its own', (app) => {
    const deployment = find(manifests, 'Deployment', app);
    expect(selected(pods, deployment.spec.selector.matchLabels)).toEqual([app]);
    const { spec: service } = find(manifests, 'Service', app);
    expect(selected(pods, service.selector)).toEqual([app]);
    expect(service.ports).toEqual([{ name: 'http', port: HTTP_PORT, targetPort: 'http' }]);
    const { spec: autoscaler } = find(manifests, 'HorizontalPodAutoscaler', app);
    expect(autoscaler.scaleTargetRef).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', name: app });
    expect(autoscaler.minReplicas).toBeGreaterThanOrEqual(2);
    expect(autoscaler.maxReplicas).toBeGreaterThan(autoscaler.minReplicas);
    expect(autoscaler.metrics).toMatchObject([
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization' } } },
    ]);
    const budget = find(manifests, 'PodDisruptionBudget', app);
    expect(selected(pods, budget.spec.selector.matchLabels)).toEqual([app]);
  });

  test('scrapes every service under the job name that the alert rules use, if there is a PodMonitor', () => {
    const monitors = ofKind(manifests, 'PodMonitor');
    expect(monitors).toHaveLength(hasSharedFolder ? 0 : 1);
    const jobNames = readPrometheusConfig().scrape_configs.map(({ job_name: name }) => name);
    for (const { spec } of monitors) {
      const scraped = selected(pods, spec.selector.matchLabels);
      expect(scraped.map((name) => podOf(name).metadata.labels[spec.jobLabel]).sort()).toEqual(
        jobNames.sort(),
      );
      expect(spec.podMetricsEndpoints).toMatchObject([{ port: 'metrics' }]);
    }
  });

  test('runs pods as accounts that exist', () => {
    const accounts = ofKind(manifests, 'ServiceAccount').map(({ metadata }) => metadata.name);
    const named = [...pods.values()].flatMap(({ spec }) => spec.serviceAccountName ?? []);
    expect(new Set(named)).toEqual(new Set(accounts));
  });

  test('publishes each service at the address that the console names', () => {
    const environment = environmentOf(serviceOf(podOf('console')), cluster);
    const addresses = {
      console: environment.CONSOLE_URL,
      gateway: environment.GATEWAY_URL,
      training: environment.TRAINING_URL,
      'router-cost': environment.ROUTER_URL,
      agent: environment.AGENT_URL,
      memo: environment.MEMO_URL,
      'agent-environments': environment.ENVIRONMENTS_URL,
    };
    const { rules, tls } = find(manifests, 'Ingress', 'public').spec;
    const published = rules.flatMap(({ host, http }) =>
      http.paths.map(({ backend: { service } }) => {
        expect(service.port).toEqual({ name: 'http' });
        return [service.name, `https://${host}`];
      }),
    );
    expect(Object.fromEntries(published)).toEqual(addresses);
    expect(tls.flatMap(({ hosts }) => hosts).sort()).toEqual(rules.map(({ host }) => host).sort());
  });

  test('lets streams and uploads pass the ingress controller as they come', () => {
    const { annotations = {} } = find(manifests, 'Ingress', 'public').metadata;
    expect(annotations).toMatchObject({
      [`${ANNOTATION}/proxy-buffering`]: 'off',
      [`${ANNOTATION}/proxy-request-buffering`]: 'off',
      [`${ANNOTATION}/proxy-body-size`]: '0',
    });
    const silences = APPS.map((app) => configOf(app).MODEL_SILENCE_TIMEOUT_SECONDS).filter(Boolean);
    expect(silences).not.toEqual([]);
    for (const seconds of silences)
      expect(Number(annotations[`${ANNOTATION}/proxy-read-timeout`])).toBeGreaterThan(seconds!);
  });
});
