export type Labels = Record<string, string>;

interface LabelSelector {
  matchLabels?: Labels;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

interface Peer {
  podSelector?: LabelSelector;
  namespaceSelector?: LabelSelector;
}

interface Rule {
  from?: Peer[];
  to?: Peer[];
  ports?: { port: number; protocol?: string }[];
}

export interface NetworkPolicy {
  spec: {
    podSelector: LabelSelector;
    policyTypes: ('Ingress' | 'Egress')[];
    ingress?: Rule[];
    egress?: Rule[];
  };
}

/** One end of a connection: a pod of the site, or something in another namespace. */
export interface Endpoint {
  labels: Labels;
  /** Undefined for a pod in the namespace of the policies. */
  namespaceLabels?: Labels;
}

/** Whether a selector selects the labels. An empty one selects everything. */
export function matches({ matchLabels = {}, matchExpressions = [] }: LabelSelector, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const isListed = values.includes(labels[key] ?? '');
      if (operator === 'In') return isListed;
      if (operator === 'NotIn') return !isListed;
      throw new Error(`The operator ${operator} is not known.`);
    })
  );
}

function isPeer({ podSelector = {}, namespaceSelector, ...rest }: Peer, endpoint: Endpoint): boolean {
  if (Object.keys(rest).length > 0) throw new Error(`A peer with ${Object.keys(rest).join()} is not known.`);
  const isInNamespace = namespaceSelector
    ? matches(namespaceSelector, endpoint.namespaceLabels ?? {})
    : endpoint.namespaceLabels === undefined;
  return isInNamespace && matches(podSelector, endpoint.labels);
}

const hasPort = ({ ports }: Rule, port: number, protocol: string): boolean =>
  !ports || ports.some((each) => each.port === port && (each.protocol ?? 'TCP') === protocol);

/** Whether the policies let a connection pass: what no policy selects is open, what one selects is open where a rule says so. */
export function isAllowed(
  policies: NetworkPolicy[],
  source: Endpoint,
  target: Endpoint,
  port: number,
  protocol = 'TCP',
): boolean {
  const passes = (direction: 'Ingress' | 'Egress', pod: Endpoint, other: Endpoint): boolean => {
    if (pod.namespaceLabels) return true;
    const selecting = policies.filter(
      ({ spec }) => spec.policyTypes.includes(direction) && matches(spec.podSelector, pod.labels),
    );
    const rules = selecting.flatMap(({ spec }) =>
      direction === 'Ingress'
        ? (spec.ingress ?? []).map((rule) => ({ ...rule, peers: rule.from }))
        : (spec.egress ?? []).map((rule) => ({ ...rule, peers: rule.to })),
    );
    return (
      selecting.length === 0 ||
      rules.some(
        (rule) =>
          hasPort(rule, port, protocol) && (!rule.peers || rule.peers.some((peer) => isPeer(peer, other))),
      )
    );
  };
  return passes('Egress', source, target) && passes('Ingress', target, source);
}
