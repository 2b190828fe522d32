import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { readPage, readRules, type Rule } from '../../observability/prometheus-process';
import { ROOT } from '../../site/service-process';
import { find, findObstacle, type Manifest, MANIFESTS, ofKind, parseYaml, podsOf, render } from './manifests';
import { schemaFaults, typeFaults } from './schemas';

const WITHOUT_DATABASE = 'agent-environments';
const MEBIBYTES_PER_GIBIBYTE = 1024;
/** DATABASE_POOL_SIZE (10), and 20 for notifications and background work: docs/operations/deploy.md, "Several replicas". */
const CONNECTIONS_PER_POD = 30;

const page = readPage('docs/operations/kubernetes.md');

const sum = (numbers: number[]): number => numbers.reduce((total, each) => total + each, 0);
/** @param quantity a number, or one with the suffix m for thousandths */
const toCores = (quantity: string): number =>
  quantity.endsWith('m') ? parseInt(quantity) / 1000 : Number(quantity);
const toGibibytes = (quantity: string): number =>
  quantity.endsWith('Mi') ? parseInt(quantity) / MEBIBYTES_PER_GIBIBYTE : parseInt(quantity);

test('its command wraps all alert rules for the Prometheus operator', () => {
  const [, makeRules = ''] = /```sh not-run\n([^`]*rules\.yaml[^`]*)\| kubectl [^`]*apply/.exec(page) ?? [];
  const output = execFileSync('sh', ['-c', makeRules], { cwd: ROOT, encoding: 'utf8' });
  const manifests = parseYaml(output) as (Manifest & { spec: { groups: { rules: Rule[] }[] } })[];
  expect(manifests).toMatchObject([{ kind: 'PrometheusRule' }]);
  expect(manifests.map(schemaFaults).filter(Boolean)).toEqual([]);
  expect(typeFaults(manifests)).toEqual([]);
  expect(manifests[0]!.spec.groups.flatMap(({ rules }) => rules)).toEqual(readRules());
});

const obstacle = findObstacle();
const describeIfPossible = obstacle ? describe.skip : describe;
if (obstacle) test.skip(`the manifests cannot be rendered: ${obstacle}`, () => undefined);

describeIfPossible.each(['intl', 'cn'])('the figures of the page for %s', (site) => {
  let manifests: Manifest[];

  beforeAll(() => {
    manifests = render(join(MANIFESTS, 'overlays', site));
  });

  const autoscalerOf = (app: string) => find(manifests, 'HorizontalPodAutoscaler', app).spec;

  test('are the processors and the memory that all pods request during a rollout', () => {
    const services = ofKind(manifests, 'Deployment').map(({ metadata }) => metadata.name);
    const requests = [...podsOf(manifests)].flatMap(([name, { spec }]) => {
      const surge = 1;
      const count = services.includes(name) ? autoscalerOf(name).minReplicas + surge : 1;
      return spec.containers.map(({ resources: { requests: each } }) => ({
        cores: count * toCores(each.cpu!),
        gibibytes: count * toGibibytes(each.memory!),
      }));
    });
    const cores = Math.ceil(sum(requests.map((each) => each.cores)));
    const gibibytes = Math.ceil(sum(requests.map((each) => each.gibibytes)));
    expect(page).toContain(`request ${cores} processors and ${gibibytes} GiB`);
  });

  test('are the pods and connections at the upper limit of the autoscalers', () => {
    const withDatabase = ofKind(manifests, 'Deployment')
      .map(({ metadata }) => metadata.name)
      .filter((name) => name !== WITHOUT_DATABASE);
    const pods = sum(withDatabase.map((name) => autoscalerOf(name).maxReplicas));
    const podsInRollout = pods + withDatabase.length;
    expect(page).toContain(`${pods} pods, and ${podsInRollout} during a rollout`);
    expect(page).toContain(`${podsInRollout * CONNECTIONS_PER_POD} connections`);
  });
});
