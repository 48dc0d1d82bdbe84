import { describe, expect, it } from '@jest/globals';
import { describeWhen } from '@pets/testing';
import { z } from 'zod';
import {
  CHART,
  exampleFile,
  findManifest,
  helm,
  merge,
  missingHelm,
  optionFile,
  options,
  renderChart,
  titleOf,
  type Manifest,
  type Values,
} from './chart/chart.js';
import { isAllowed } from './chart/network.js';
import { environmentOf, workloadsIn } from './chart/workloads.js';

const optionOf = (name: string): Values => options.get(name) ?? {};
const pod = (name: string) => ({ pod: { 'app.kubernetes.io/name': name } });

/** Schema of the Gateway API v1, as far as the chart uses it; no package of ours has the types. */
const routeSchema = z.strictObject({
  apiVersion: z.literal('gateway.networking.k8s.io/v1'),
  kind: z.literal('HTTPRoute'),
  metadata: z.looseObject({ name: z.string() }),
  spec: z.strictObject({
    parentRefs: z.array(z.strictObject({ name: z.string(), namespace: z.string(), sectionName: z.string() })).min(1),
    hostnames: z.array(z.hostname()).min(1),
    rules: z.array(
      z.strictObject({
        matches: z.array(
          z.strictObject({
            path: z.strictObject({ type: z.enum(['Exact', 'PathPrefix']), value: z.string().startsWith('/') }),
          }),
        ),
        backendRefs: z.array(z.strictObject({ name: z.string(), port: z.int() })),
        timeouts: z.strictObject({ request: z.string().regex(/^\d+(?:h|m|s|ms)$/) }).optional(),
      }),
    ),
  }),
});
/** Changes that an option makes at a site with the fewest values. */
interface Changes {
  readonly added?: readonly string[];
  readonly removed?: readonly string[];
  /** Variables of a process that are new or have another value. */
  readonly variables?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The variables of a process that sends traces. */
const traced = {
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel-collector.monitoring:4318',
  OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
  OTEL_TRACES_SAMPLER_ARG: '0.1',
};
const zone = { ACME_DNS_ZONE: 'acme.pets.example.com' };
const zoneKey = { ACME_DNS_TSIG_KEY_FILE: '/secrets/acme-dns-tsig-key' };
const sessionUrl = { DATABASE_SESSION_URL_FILE: '/secrets/session-url/url' };
const proxies = { TRUSTED_PROXIES: '10.0.0.0/8' };

const changes: Readonly<Record<string, Changes>> = {
  'challenge-dns': {
    added: [
      'ConfigMap/challenge-dns',
      'Deployment/challenge-dns',
      'NetworkPolicy/challenge-dns',
      'NetworkPolicy/challenge-updates',
      'Service/challenge-dns',
      'Service/challenge-dns-public',
      'ServiceAccount/challenge-dns',
    ],
    variables: {
      'pets-api': zone,
      'domains-worker': { ...zone, ...zoneKey, ACME_DNS_SERVER: 'challenge-dns:53' },
      'challenge-dns': { ...zone, ...zoneKey, DNS_NAME_SERVERS: 'ns-acme.example.com' },
    },
  },
  'external-stores': {},
  'fixed-replicas': { removed: ['HorizontalPodAutoscaler/edge', 'HorizontalPodAutoscaler/pets-api'] },
  gateway: { added: ['HTTPRoute/pets-api', 'NetworkPolicy/pets-api-from-ingress'], variables: { 'pets-api': proxies } },
  ingress: { added: ['Ingress/pets-api', 'NetworkPolicy/pets-api-from-ingress'], variables: { 'pets-api': proxies } },
  monitoring: {
    added: [
      'ConfigMap/grafana-dashboard',
      'NetworkPolicy/edge-metrics',
      'NetworkPolicy/metrics',
      'PrometheusRule/pets',
      'Service/domains-worker-metrics',
      'Service/edge-metrics',
      'Service/pets-api-metrics',
      'ServiceMonitor/pets',
    ],
    variables: { 'pets-api': { METRICS_PORT: '9464' }, 'domains-worker': { METRICS_PORT: '9464' } },
  },
  'platform-certificate': {
    variables: {
      'pets-api': { ISSUE_PLATFORM_CERTIFICATE: 'false' },
      edge: { PLATFORM_CERTIFICATE_FILE: '/secrets/platform.crt', PLATFORM_KEY_FILE: '/secrets/platform.key' },
    },
  },
  'pooled-database': {
    added: ['NetworkPolicy/pgbouncer'],
    variables: { 'pets-api': sessionUrl, migrate: sessionUrl },
  },
  'queue-scaling': { added: ['ScaledObject/domains-worker', 'TriggerAuthentication/queue'] },
  tracing: {
    added: ['NetworkPolicy/traces'],
    variables: { 'pets-api': traced, 'domains-worker': traced, edge: traced },
  },
};

const environmentsOf = (manifests: readonly Manifest[]) =>
  new Map(workloadsIn(manifests).map((workload) => [workload.name, environmentOf(workload, manifests)]));

function changesBetween(before: readonly Manifest[], after: readonly Manifest[]): Changes {
  const [old, now] = [before.map(titleOf), after.map(titleOf)];
  const known = environmentsOf(before);
  const variables = [...environmentsOf(after)].map(([name, environment]) => {
    const changed = [...environment].filter(([variable, value]) => known.get(name)?.get(variable) !== value);
    return [name, Object.fromEntries(changed)] as const;
  });
  return {
    added: now.filter((title) => !old.includes(title)).sort(),
    removed: old.filter((title) => !now.includes(title)).sort(),
    variables: Object.fromEntries(variables.filter(([, changed]) => Object.keys(changed).length > 0)),
  };
}

describeWhen(describe, 'an option of the Helm chart', missingHelm, () => {
  const [api, worker, edge, migrate] = [pod('pets-api'), pod('domains-worker'), pod('edge'), pod('migrate')];

  it('is each of the examples', () => {
    expect([...options.keys()].sort()).toEqual(Object.keys(changes).sort());
  });

  it.each(Object.entries(changes))('%s changes what it is for, and nothing else', (name, expected) => {
    const actual = changesBetween(renderChart('pets', {}), renderChart('pets', optionOf(name)));
    expect(actual).toEqual({ added: [], removed: [], variables: {}, ...expected });
  });

  it.each([...options.keys()])('%s passes the strict lint of helm, added to the values of a site', (name) => {
    const files = ['--values', exampleFile('production'), '--values', optionFile(name)];
    const { status, stdout } = helm(['lint', '--strict', CHART, ...files]);
    expect(stdout).toContain('0 chart(s) failed');
    expect(status).toBe(0);
  });

  it('lets edges use no public port of pets-api', () => {
    const isOpen = (values: Values) => isAllowed(renderChart('pets', values), { from: edge, to: api, port: 3000 });
    expect([{}, ...options.values()].map(isOpen)).not.toContain(true);
  });

  it('lets pets-api reach PgBouncer, and the migration PostgreSQL alone', () => {
    const manifests = renderChart('pets', optionOf('pooled-database'));
    const ports = [5432, 6432];
    const allowed = [api, migrate].map((from) =>
      ports.filter((port) => isAllowed(manifests, { from, to: { address: '10.20.0.5' }, port })),
    );
    expect(allowed).toEqual([ports, [5432]]);
  });

  it('restricts stores to their addresses and ports', () => {
    const manifests = renderChart('pets', optionOf('external-stores'));
    const database = { address: '10.20.0.5' };
    const redis = { address: '10.20.0.6' };
    const provider = { address: '198.51.100.10' };
    const storage = { pod: {}, namespace: { 'kubernetes.io/metadata.name': 'storage' } };
    const connections = [
      ...[api, migrate].map((from) => ({ from, to: database, port: 5433 })),
      ...[api, worker].map((from) => ({ from, to: redis, port: 6380 })),
      ...[api, edge].map((from) => ({ from, to: storage, port: 9000 })),
      { from: api, to: provider, port: 443 },
    ];
    const others = [
      ...[5432, 6379, 443].map((port) => ({ from: api, to: database, port })),
      { from: api, to: redis, port: 5433 },
      { from: edge, to: database, port: 443 },
      { from: worker, to: database, port: 6380 },
    ];
    expect(connections.filter((each) => !isAllowed(manifests, each))).toEqual([]);
    expect(others.filter((each) => isAllowed(manifests, each))).toEqual([]);
  });

  it('gives Prometheus and Grafana the labels that they select by', () => {
    const manifests = renderChart('pets', optionOf('monitoring'));
    for (const kind of ['ServiceMonitor', 'PrometheusRule'])
      expect(findManifest(manifests, kind, 'pets').metadata).toMatchObject({
        labels: { release: 'kube-prometheus-stack' },
      });
    expect(findManifest(manifests, 'ConfigMap', 'grafana-dashboard').metadata).toMatchObject({
      labels: { grafana_dashboard: '1' },
    });
  });
});

describeWhen(describe, 'the Helm chart behind a Gateway', missingHelm, () => {
  const manifests = missingHelm === null ? renderChart('pets', optionOf('gateway')) : [];

  it('has a route with the public paths to the host of the API, and no ingress', () => {
    const { spec } = routeSchema.parse(findManifest(manifests, 'HTTPRoute', 'pets-api'));
    expect(spec.hostnames).toEqual(['api.example.com']);
    const [rule] = spec.rules;
    expect(rule?.backendRefs).toEqual([{ name: 'pets-api', port: 3000 }]);
    expect(rule?.matches.map(({ path }) => path.value)).toEqual([
      '/v1',
      '/openapi.json',
      '/docs',
      '/problems',
      '/dashboard',
    ]);
    expect(manifests.filter(({ kind }) => kind === 'Ingress')).toEqual([]);
  });

  it('may give streams the time that they need', () => {
    const untimed = renderChart('pets', merge(optionOf('gateway'), { gateway: { timeouts: null } }));
    const timeouts = [manifests, untimed].map((each) => {
      return routeSchema.parse(findManifest(each, 'HTTPRoute', 'pets-api')).spec.rules[0]?.timeouts;
    });
    expect(timeouts).toEqual([{ request: '0s' }, undefined]);
  });

  it('lets the Gateway reach the API, and its internal port never', () => {
    const from = { pod: {}, namespace: { 'pets/ingress': 'true' } };
    const to = { pod: { 'app.kubernetes.io/name': 'pets-api' } };
    expect([3000, 3001].map((port) => isAllowed(manifests, { from, to, port }))).toEqual([true, false]);
  });
});

describeWhen(describe, 'traces of the Helm chart', missingHelm, () => {
  const from = { pod: { 'app.kubernetes.io/name': 'edge' } };
  const to = { pod: {}, namespace: { 'pets/monitoring': 'true' } };

  it.each([
    ['http://collector1.monitoring:4317', 4317],
    ['http://collector1.monitoring', 80],
    ['https://collector1.monitoring', 443],
  ])('may leave for %s', (endpoint, port) => {
    const manifests = renderChart('pets', {
      tracing: { enabled: true, endpoint },
      networkPolicy: { bucket: { port: 9000 } },
    });
    expect(isAllowed(manifests, { from, to, port })).toBe(true);
    expect(isAllowed(manifests, { from, to, port: 4318 })).toBe(false);
  });
});
