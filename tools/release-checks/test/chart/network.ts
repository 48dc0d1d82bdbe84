import { BlockList, isIP } from 'node:net';
import { z } from 'zod';
import type { Manifest } from './chart.js';

const labelsSchema = z.record(z.string(), z.string());
const selectorSchema = z.strictObject({
  matchLabels: labelsSchema.default({}),
  matchExpressions: z
    .array(z.strictObject({ key: z.string(), operator: z.literal('In'), values: z.array(z.string()) }))
    .default([]),
});
const peerSchema = z.strictObject({
  podSelector: selectorSchema.optional(),
  namespaceSelector: selectorSchema.optional(),
  ipBlock: z.strictObject({ cidr: z.string(), except: z.array(z.string()).default([]) }).optional(),
});
const portSchema = z.strictObject({ protocol: z.enum(['TCP', 'UDP']), port: z.int(), endPort: z.int().optional() });
const ruleSchema = z.strictObject({
  from: z.array(peerSchema).optional(),
  to: z.array(peerSchema).optional(),
  ports: z.array(portSchema).optional(),
});
const policySchema = z.strictObject({
  podSelector: selectorSchema,
  policyTypes: z.array(z.enum(['Ingress', 'Egress'])),
  ingress: z.array(ruleSchema).default([]),
  egress: z.array(ruleSchema).default([]),
});
type Rule = z.infer<typeof ruleSchema>;
type Peer = z.infer<typeof peerSchema>;
type Selector = z.infer<typeof selectorSchema>;
type Labels = Readonly<Record<string, string>>;

/** One end of a connection: a pod, by what it is labelled with (`namespace` unless it is one of ours), or an address. */
export type End = { readonly pod: Labels; readonly namespace?: Labels } | { readonly address: string };

export interface Connection {
  readonly from: End;
  readonly to: End;
  readonly port: number;
  readonly protocol?: 'TCP' | 'UDP';
}

/**
 * Whether NetworkPolicies let a connection through: one that selects a pod forbids that pod everything, and each of its
 * rules allows something again. Both ends are asked, as far as they are pods of ours.
 */
export function isAllowed(manifests: readonly Manifest[], connection: Connection): boolean {
  const policies = manifests
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .map((manifest) => policySchema.parse(manifest['spec']));
  const { from, to } = connection;
  const passes = (end: End, direction: 'Ingress' | 'Egress') => {
    if (!('pod' in end) || end.namespace !== undefined) return true;
    const governing = policies.filter((policy) => {
      return policy.policyTypes.includes(direction) && matches(policy.podSelector, end.pod);
    });
    const rules = governing.flatMap((policy) => (direction === 'Ingress' ? policy.ingress : policy.egress));
    return governing.length === 0 || rules.some((rule) => allows(rule, direction, connection));
  };
  return passes(from, 'Egress') && passes(to, 'Ingress');
}

function allows(
  rule: Rule,
  direction: 'Ingress' | 'Egress',
  { from, to, port, protocol = 'TCP' }: Connection,
): boolean {
  const [peers, other] = direction === 'Ingress' ? [rule.from, from] : [rule.to, to];
  const isPort = (rule.ports ?? []).some(
    (allowed) => allowed.protocol === protocol && port >= allowed.port && port <= (allowed.endPort ?? allowed.port),
  );
  return (rule.ports === undefined || isPort) && (peers === undefined || peers.some((peer) => isPeer(peer, other)));
}

function isPeer({ podSelector, namespaceSelector, ipBlock }: Peer, end: End): boolean {
  if ('address' in end) return ipBlock !== undefined && isInside(ipBlock, end.address);
  if (ipBlock !== undefined) return false;
  const isNamespace =
    namespaceSelector === undefined ? end.namespace === undefined : matches(namespaceSelector, end.namespace ?? {});
  return isNamespace && (podSelector === undefined || matches(podSelector, end.pod));
}

function matches({ matchLabels, matchExpressions }: Selector, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
    matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ''))
  );
}

function isInside({ cidr, except }: { cidr: string; except: readonly string[] }, address: string): boolean {
  return isIn(cidr, address) && !except.some((range) => isIn(range, address));
}

function isIn(cidr: string, address: string): boolean {
  const [network = '', length = ''] = cidr.split('/');
  if (isIP(network) !== isIP(address)) return false;
  const family = isIP(network) === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(network, Number(length), family);
  return list.check(address, family);
}
