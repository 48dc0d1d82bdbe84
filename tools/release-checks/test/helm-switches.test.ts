import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWhen } from '@pets/testing';
import { z } from 'zod';
import {
  canRender,
  findManifest,
  parseManifests,
  renderFolder,
  titleOf,
  type Manifest,
} from '../src/manifests/manifest.js';
import { isAllowed } from '../src/manifests/network.js';
import { findTypeFaults, validate } from '../src/manifests/schemas.js';
import { REPOSITORY } from '../src/repository.js';
import { comparable, merge, minimalValues, missingHelm, renderChart, type Values } from './chart.js';

const KUSTOMIZE = join(REPOSITORY, 'deploy/kubernetes');
const zone = { config: { ACME_DNS_ZONE: 'acme.example.com' } };
const accounts = { config: { ACME_ACCOUNTS: 'second|https://ca.example.com/directory' } };

/** The switch of each component of Kustomize, with the settings that it needs. */
const switches: Readonly<Record<string, Values>> = {
  'challenge-dns': {
    challengeDns: { enabled: true, config: { ...zone.config, DNS_NAME_SERVERS: 'ns.example.com' } },
    petsApi: zone,
    domainsWorker: zone,
  },
  ingress: { ingress: { enabled: true } },
  'internal-move': { internalMove: { enabled: true } },
  monitoring: { monitoring: { enabled: true } },
  'platform-certificate': { platformCertificate: { enabled: true } },
  'pooled-database': { pooledDatabase: { enabled: true } },
  'queue-scaling': { queueScaling: { enabled: true } },
  'several-accounts': { severalAccounts: { enabled: true }, petsApi: accounts, domainsWorker: accounts },
  tracing: { tracing: { enabled: true } },
};
const gateway = {
  gateway: { enabled: true, parentRefs: [{ name: 'public', namespace: 'gateways', sectionName: 'https' }] },
};
const all = [...Object.values(switches), gateway].reduce(merge, {});

/** Of the Gateway API v1, as far as the chart uses it; no package of ours has the types. */
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
const isRoute = ({ kind }: Manifest) => kind === 'HTTPRoute';

const missingKubectl = (await canRender()) ? missingHelm : 'kubectl 1.27 or later is not installed';

describeWhen(describe, 'each switch of the Helm chart, compared with Kustomize', missingKubectl, () => {
  let folder: string;
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'pets-overlay-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** An overlay with one component and the same settings as the values. JSON is YAML. */
  async function renderComponent(component: string | undefined, values: Values): Promise<readonly Manifest[]> {
    const path = (name: string) => relative(folder, join(KUSTOMIZE, name));
    const names = {
      'pets-api': 'petsApi',
      'domains-worker': 'domainsWorker',
      edge: 'edge',
      'challenge-dns': 'challengeDns',
    };
    const generators = Object.entries(names).flatMap(([name, key]) => {
      const config = (values[key] as { config?: Record<string, string> } | undefined)?.config; // of the values above
      const literals = Object.entries(config ?? {}).map(([setting, value]) => `${setting}=${value}`);
      return literals.length === 0 ? [] : [{ name, literals, ...(name !== 'challenge-dns' && { behavior: 'merge' }) }];
    });
    const images = ['pets-api', 'domains-worker', 'edge', 'knot'];
    const kustomization = {
      namespace: 'pets',
      resources: [path('base')],
      components: component === undefined ? [] : [path(`components/${component}`)],
      images: images.map((name) => ({ name, newName: `registry.example.com/pets/${name}`, newTag: '1.0.0' })),
      configMapGenerator: generators,
    };
    writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
    return parseManifests(await renderFolder(folder));
  }

  it('there is one for each component', () => {
    expect(readdirSync(join(KUSTOMIZE, 'components')).sort()).toEqual(Object.keys(switches));
  });

  it('without any, the chart makes the objects of the base', async () => {
    expect(comparable(renderChart('pets', {}))).toEqual(comparable(await renderComponent(undefined, minimalValues)));
  });

  it.each(Object.entries(switches))('%s makes the same objects', async (component, values) => {
    const kustomized = await renderComponent(component, merge(minimalValues, values));
    expect(comparable(renderChart('pets', values))).toEqual(comparable(kustomized));
  });
});

describeWhen(describe, 'the Helm chart with every switch', missingHelm, () => {
  const manifests = missingHelm === null ? renderChart('pets', all) : [];
  const known = manifests.filter((manifest) => !isRoute(manifest));

  it('makes each object once', () => {
    const titles = manifests.map(titleOf);
    expect(titles).toEqual([...new Set(titles)]);
    expect(titles).toEqual(expect.arrayContaining(['HTTPRoute/pets-api', 'Ingress/pets-api', 'PrometheusRule/pets']));
  });

  it.each(known.map((manifest) => [titleOf(manifest), manifest] as const))(
    '%s keeps the schema of its kind',
    async (_title, manifest) => {
      await expect(validate(manifest)).resolves.toBeUndefined();
    },
  );

  it('has no field that its kind does not know', () => {
    expect(findTypeFaults(known)).toEqual([]);
  });
});

describeWhen(describe, 'the Helm chart behind a Gateway', missingHelm, () => {
  const manifests = missingHelm === null ? renderChart('pets', gateway) : [];

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
    const timed = renderChart('pets', merge(gateway, { gateway: { timeouts: { request: '0s' } } }));
    const { spec } = routeSchema.parse(findManifest(timed, 'HTTPRoute', 'pets-api'));
    expect(spec.rules[0]?.timeouts).toEqual({ request: '0s' });
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
