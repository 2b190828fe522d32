import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { ROOT } from '../../site/service-process';
import { type Environment } from '../app-config';
import { type Labels, type NetworkPolicy } from './network-policies';

export const MANIFESTS = join(ROOT, 'docker/kubernetes');
/** kubectl before 1.21 has a kustomize that cannot read these files. */
const MIN_KUBECTL_MINOR = 21;

interface Probe {
  httpGet: { path: string; port: string };
}

export interface Container {
  name: string;
  image: string;
  command?: string[];
  ports?: { name: string; containerPort: number }[];
  env?: { name: string }[];
  envFrom: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
  resources: { requests: Labels; limits: Labels };
  securityContext: object;
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean }[];
  startupProbe?: Probe;
  readinessProbe?: Probe;
  livenessProbe?: Probe;
  lifecycle?: { preStop: { sleep: { seconds: number } } };
}

export interface PodTemplate {
  metadata: { labels: Labels };
  spec: {
    automountServiceAccountToken: boolean;
    serviceAccountName?: string;
    terminationGracePeriodSeconds?: number;
    securityContext: { fsGroup?: number };
    containers: Container[];
    initContainers?: Container[];
    volumes?: object[];
  };
}

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Labels; annotations?: Labels };
}

interface Selector {
  matchLabels: Labels;
}
interface Workload extends Manifest {
  spec: { replicas?: number; selector: Selector; template: PodTemplate; strategy?: object };
}
interface CronJob extends Manifest {
  spec: { jobTemplate: { spec: { template: PodTemplate } } };
}

/** What the tests read of each kind. */
export interface Kinds {
  Deployment: Workload;
  Job: Workload;
  CronJob: CronJob;
  ConfigMap: Manifest & { data?: Environment };
  Secret: Manifest & { stringData: Environment };
  Service: Manifest & {
    spec: { selector: Labels; ports: { name: string; port: number; targetPort: string }[] };
  };
  HorizontalPodAutoscaler: Manifest & {
    spec: {
      scaleTargetRef: Manifest & { name: string };
      minReplicas: number;
      maxReplicas: number;
      metrics: object[];
    };
  };
  PodDisruptionBudget: Manifest & { spec: { selector: Selector } };
  NetworkPolicy: Manifest & NetworkPolicy;
  PodMonitor: Manifest & {
    spec: { selector: Selector; jobLabel: string; podMetricsEndpoints: { port: string }[] };
  };
  ServiceAccount: Manifest;
  Ingress: Manifest & {
    spec: {
      tls: { hosts: string[]; secretName: string }[];
      rules: {
        host: string;
        http: { paths: { backend: { service: { name: string; port: { name: string } } } }[] };
      }[];
    };
  };
}

/** Why the manifests cannot be rendered here, or undefined. */
export function findObstacle(): string | undefined {
  const { error, stdout } = spawnSync('kubectl', ['version', '--client', '--output=json'], {
    encoding: 'utf8',
  });
  if (error) return 'kubectl is not installed';
  const { clientVersion } = JSON.parse(stdout) as { clientVersion: { major: string; minor: string } };
  const { major, minor } = clientVersion;
  const isOld = Number(major) === 1 && parseInt(minor) < MIN_KUBECTL_MINOR;
  return isOld ? `kubectl ${major}.${minor} is older than 1.${MIN_KUBECTL_MINOR}` : undefined;
}

/** What `kubectl apply -k` would apply. Throws if kustomize fails or warns. */
export function render(folder: string): Manifest[] {
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
  if (status !== 0 || stderr) throw new Error(`kubectl kustomize ${folder}: ${stderr}`);
  return parseYaml(stdout) as Manifest[];
}

/** The Secrets that make-kubernetes-secrets.mjs writes for a site. */
export function generateSecrets(site: string): Kinds['Secret'][] {
  const folder = mkdtempSync(join(tmpdir(), 'kubernetes-secrets-'));
  try {
    const file = join(folder, 'secrets.yaml');
    execFileSync(process.execPath, [join(ROOT, 'docker/make-kubernetes-secrets.mjs'), site, file], {
      env: { DATABASE_URL: 'postgres://postgres:owner@db.example.com:5432/platform?sslmode=require' },
    });
    return parseYaml(readFileSync(file, 'utf8')) as Kinds['Secret'][];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The manifests of one kind. */
export const ofKind = <Kind extends keyof Kinds>(manifests: Manifest[], kind: Kind): Kinds[Kind][] =>
  manifests.filter((manifest): manifest is Kinds[Kind] => manifest.kind === kind);

/** The only manifest of that kind and name. */
export function find<Kind extends keyof Kinds>(manifests: Manifest[], kind: Kind, name: string): Kinds[Kind] {
  const [found, ...others] = ofKind(manifests, kind).filter(({ metadata }) => metadata.name === name);
  if (!found || others.length > 0) throw new Error(`${kind} ${name}: found ${found ? 'several' : 'none'}`);
  return found;
}

/** The pods that the manifests start, by the name of their workload. */
export function podsOf(manifests: Manifest[]): Map<string, PodTemplate> {
  const templates = [
    ...[...ofKind(manifests, 'Deployment'), ...ofKind(manifests, 'Job')].map(
      ({ metadata, spec }) => [metadata.name, spec.template] as const,
    ),
    ...ofKind(manifests, 'CronJob').map(
      ({ metadata, spec }) => [metadata.name, spec.jobTemplate.spec.template] as const,
    ),
  ];
  return new Map(templates);
}

/** The variables that a container gets from ConfigMaps and Secrets. Throws if one of them does not exist. */
export function environmentOf(container: Container, manifests: Manifest[]): Environment {
  const sources = container.envFrom.map(({ configMapRef, secretRef }) =>
    secretRef
      ? find(manifests, 'Secret', secretRef.name).stringData
      : find(manifests, 'ConfigMap', configMapRef!.name).data,
  );
  return Object.assign({}, ...sources) as Environment;
}

/** The documents of a YAML file. Throws on a syntax error. */
export function parseYaml(text: string): unknown[] {
  return parseAllDocuments(text, { merge: true }).map((document) => {
    const [error] = document.errors;
    if (error) throw error;
    return document.toJS() as unknown;
  });
}
