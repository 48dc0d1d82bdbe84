import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWhen } from '@pets/testing';
import { parse } from 'yaml';
import {
  CHART,
  exampleFile,
  examples,
  findManifest,
  helm,
  merge,
  minimalValues,
  missingHelm,
  parseManifests,
  renderChart,
  renderRelease,
  type Manifest,
  type Values,
} from './chart/chart.js';
import { environmentOf, workloadsIn } from './chart/workloads.js';

const ALERTS = join(CHART, 'files/alerts.yml');

/** Output of helm for values that it refuses. */
function refusalOf(values: Values): string {
  const { status, stderr } = helm(['template', 'pets', CHART], values);
  expect(status).not.toBe(0);
  return stderr;
}

const environment = (manifests: readonly Manifest[], name: string) => {
  const workload = workloadsIn(manifests).find((each) => each.name === name);
  if (workload === undefined) throw new Error(`there is no ${name}`);
  return environmentOf(workload, manifests);
};
const podOf = (manifests: readonly Manifest[], kind: string, name: string) =>
  (findManifest(manifests, kind, name)['spec'] as { template: { metadata: object; spec: Values } }).template; // of a workload
const checksumsOf = (manifests: readonly Manifest[]) =>
  workloadsIn(manifests)
    .filter(({ name }) => name !== 'migrate')
    .map(({ title, name }) => {
      const [kind = ''] = title.split('/');
      return (podOf(manifests, kind, name).metadata as { annotations: Values }).annotations;
    });

describeWhen(describe, 'the Helm chart', missingHelm, () => {
  it.each(examples)('passes the strict lint of helm with the example %s', (example) => {
    const { status, stdout } = helm(['lint', '--strict', CHART, '--values', exampleFile(example)]);
    expect(stdout).toContain('0 chart(s) failed');
    expect(status).toBe(0);
  });

  it('puts everything into the namespace of its release, so that several may run', () => {
    const manifests = renderChart('another', {});
    expect(new Set(manifests.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['another']));
  });

  describe('when packed', () => {
    let folder: string;
    beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'pets-chart-'))));
    afterAll(() => rmSync(folder, { recursive: true }));

    function pack(...args: readonly string[]): void {
      expect(helm(['package', CHART, ...args, '--destination', folder]).status).toBe(0);
    }
    const render = (version: string, args: readonly string[], values?: Values) =>
      parseManifests(
        helm(['template', 'pets', join(folder, `pets-${version}.tgz`), '--namespace', 'pets', ...args], values).stdout,
      );

    it('renders the same from its package, with the alerts and dashboards', () => {
      pack();
      expect(render('1.0.0', ['--values', exampleFile('production')])).toEqual(renderRelease('production'));
    });

    it('takes the images of its own version', () => {
      pack('--version', '1.2.3', '--app-version', '1.2.3');
      const images = workloadsIn(render('1.2.3', [], minimalValues)).map(({ container }) => container.image);
      expect(images.map((image) => image.split(':')[1])).toEqual(Array(4).fill('1.2.3'));
    });

    it('has no tests and no examples', () => {
      pack();
      const files = execFileSync('tar', ['--list', '--file', join(folder, 'pets-1.0.0.tgz')], { encoding: 'utf8' });
      expect(files).toContain('pets/files/alerts.yml');
      expect(files).not.toMatch(/\.test\.yml|examples\//);
    });
  });

  it('contains no secret', () => {
    expect(renderChart('pets', {}).filter(({ kind }) => kind === 'Secret')).toEqual([]);
  });

  it('migrates before an installation and an upgrade, never at a rollback, and keeps the Job for its log', () => {
    const hooks = renderChart('pets', {}).filter(({ metadata }) => JSON.stringify(metadata).includes('helm.sh/hook'));
    expect(hooks.map(({ metadata }) => [metadata.name, metadata['annotations']])).toEqual([
      ['migrate', { 'helm.sh/hook': 'pre-install,pre-upgrade', 'helm.sh/hook-delete-policy': 'before-hook-creation' }],
    ]);
  });

  it('has the alerts as they are, with the templates of Prometheus', () => {
    const { spec } = findManifest(renderChart('pets', { monitoring: { enabled: true } }), 'PrometheusRule', 'pets');
    const alerts = readFileSync(ALERTS, 'utf8');
    expect(alerts).toContain('{{ $labels.');
    expect(spec).toEqual(parse(alerts));
  });

  it('names the runbooks where `runbooksUrl` says', () => {
    const runbooksUrl = 'https://wiki.example.com/pets/runbooks';
    const values = { monitoring: { enabled: true, rules: { runbooksUrl } } };
    const { spec } = findManifest(renderChart('pets', values), 'PrometheusRule', 'pets');
    const alerts = readFileSync(ALERTS, 'utf8');
    expect(spec).toEqual(parse(alerts.replaceAll("'docs/operations/runbooks/", `'${runbooksUrl}/`)));
  });

  it('restarts the processes whose settings change, and no others', () => {
    const before = checksumsOf(renderChart('pets', {}));
    const after = checksumsOf(renderChart('pets', { edge: { config: { LOG_LEVEL: 'debug' } } }));
    const isChanged = before.map(
      (annotations, index) => annotations['checksum/config'] !== after[index]?.['checksum/config'],
    );
    expect(isChanged).toEqual([false, false, true]);
  });

  it('writes numbers as the processes read them, and lets null remove a default', () => {
    const manifests = renderChart('pets', {
      petsApi: { config: { UPLOAD_SPACE_BYTES: 3221225472, EDGE_MAX_STALENESS: 1000000, LOG_LEVEL: null } },
      edge: { config: { EDGE_MAX_STALENESS: '1000000' } },
      tracing: { enabled: true, ratio: 0.25 },
    });
    const api = environment(manifests, 'pets-api');
    expect(api.get('UPLOAD_SPACE_BYTES')).toBe('3221225472');
    expect(api.get('EDGE_MAX_STALENESS')).toBe('1000000');
    expect(api.get('OTEL_TRACES_SAMPLER_ARG')).toBe('0.25');
    expect(api.has('LOG_LEVEL')).toBe(false);
  });

  it('takes an image by tag or digest, of one registry or of its own', () => {
    const digest = `sha256:${'0'.repeat(64)}`;
    const manifests = renderChart('pets', {
      images: { tag: '1.2.3' },
      petsApi: { image: { digest } },
      domainsWorker: { image: { tag: '1.2.2' } },
      edge: { image: { repository: 'other.example.com/edge' } },
    });
    const images = workloadsIn(manifests).map(({ name, container }) => [name, container.image]);
    expect(Object.fromEntries(images)).toEqual({
      'pets-api': `registry.example.com/pets/pets-api@${digest}`,
      migrate: `registry.example.com/pets/pets-api@${digest}`,
      'domains-worker': 'registry.example.com/pets/domains-worker:1.2.2',
      edge: 'other.example.com/edge:1.2.3',
    });
  });

  it('reaches the identity provider, whatever addresses the bucket has', () => {
    const manifests = renderChart('pets', {
      networkPolicy: { bucket: { to: [{ ipBlock: { cidr: '10.0.0.5/32' } }] } },
    });
    const { spec } = findManifest(manifests, 'NetworkPolicy', 'pets-api');
    expect(spec).toMatchObject({ egress: expect.arrayContaining([{ ports: [{ protocol: 'TCP', port: 443 }] }]) });
  });

  it('mounts secret settings of the site as files', () => {
    const manifests = renderChart('pets', {
      petsApi: { secretConfig: { GATEWAY_TOKEN: { secret: 'gateway', key: 'token' } } },
    });
    expect(environment(manifests, 'pets-api').get('GATEWAY_TOKEN_FILE')).toBe('/secrets/gateway-token');
    expect(podOf(manifests, 'Deployment', 'pets-api').spec['volumes']).toContainEqual(
      expect.objectContaining({
        projected: expect.objectContaining({
          sources: expect.arrayContaining([
            { secret: { name: 'gateway', items: [{ key: 'token', path: 'gateway-token' }] } },
          ]),
        }),
      }),
    );
  });

  it.each([
    ['Deployment', 'pets-api', 'petsApi'],
    ['Deployment', 'domains-worker', 'domainsWorker'],
    ['StatefulSet', 'edge', 'edge'],
    ['Deployment', 'challenge-dns', 'challengeDns'],
    ['Job', 'migrate', 'migrate'],
  ])('places the pods of %s %s where the site says', (kind, name, key) => {
    const placing = {
      nodeSelector: { disk: 'fast' },
      tolerations: [{ key: 'dedicated', operator: 'Exists' }],
      affinity: { nodeAffinity: {} },
      priorityClassName: 'high',
    };
    const podAnnotations = { 'example.com/team': 'a' };
    const challengeDns = {
      enabled: true,
      config: { ACME_DNS_ZONE: 'acme.example.com', DNS_NAME_SERVERS: 'ns.example.com' },
    };
    const zone = { config: { ACME_DNS_ZONE: 'acme.example.com' } };
    const values = merge(
      { challengeDns, petsApi: zone, domainsWorker: zone },
      { [key]: { ...placing, podAnnotations } },
    );
    const pullSecrets = [{ name: 'registry' }];
    const pod = podOf(renderChart('pets', merge(values, { images: { pullSecrets } })), kind, name);
    expect(pod.spec).toMatchObject({ ...placing, imagePullSecrets: pullSecrets });
    expect(pod.metadata).toMatchObject({ annotations: podAnnotations });
  });

  it.each([
    ['Service', 'edge', { edge: { service: { annotations: { a: 'b' } } } }],
    ['ServiceAccount', 'pets-api', { petsApi: { serviceAccount: { annotations: { a: 'b' } } } }],
    ['Ingress', 'pets-api', { ingress: { enabled: true, annotations: { a: 'b' } } }],
  ])('annotates the %s %s', (kind, name, values: Values) => {
    expect(findManifest(renderChart('pets', values), kind, name).metadata).toMatchObject({ annotations: { a: 'b' } });
  });

  it('has a number of replicas where nothing scales them, and a class of storage', () => {
    const manifests = renderChart('pets', {
      petsApi: { autoscaling: { enabled: false }, replicas: 4 },
      edge: { autoscaling: { enabled: false }, storage: { size: '20Gi', className: 'fast' } },
    });
    expect(manifests.filter(({ kind }) => kind === 'HorizontalPodAutoscaler')).toEqual([]);
    expect(findManifest(manifests, 'Deployment', 'pets-api')['spec']).toMatchObject({ replicas: 4 });
    expect(findManifest(manifests, 'Deployment', 'domains-worker')['spec']).toMatchObject({ replicas: 2 });
    expect(findManifest(manifests, 'StatefulSet', 'edge')['spec']).toMatchObject({
      replicas: 2,
      volumeClaimTemplates: [{ spec: { storageClassName: 'fast', resources: { requests: { storage: '20Gi' } } } }],
    });
  });

  // Helm 3 and 4 word it differently.
  it.each([
    ['a switch that is misspelt', { ingres: { enabled: true } }, /additional propert.* '?ingres'? .*not allowed/i],
    ['a key that is misspelt', { edge: { replica: 3 } }, /edge'?: additional propert.* '?replica'? .*not allowed/i],
    [
      'a setting that is misspelt',
      { edge: { config: { LOGLEVEL: 'x' } } },
      /edge.config'?: .* '?LOGLEVEL'? .*not allowed/,
    ],
    [
      'a secret setting',
      { petsApi: { config: { APP_SECRET: 'x' } } },
      /petsApi.config'?: .* '?APP_SECRET'? .*not allowed/,
    ],
    ['a missing setting', { edge: { config: { STORAGE_URL: null } } }, /edge.config.*STORAGE_URL/],
    ['a Gateway without a name', { gateway: { enabled: true } }, /gateway.parentRefs/],
    ['images without a registry', { images: { registry: '' } }, /set images\.registry to the registry/],
    [
      'settings that disagree',
      { edge: { config: { PLATFORM_DOMAIN: 'other.example.com' } } },
      /PLATFORM_DOMAIN must be the same in petsApi\.config and edge\.config/,
    ],
    ['a port that the chart sets', { petsApi: { config: { PORT: '80' } } }, /petsApi\.config\.PORT: the chart sets it/],
    [
      'an ingress without its addresses',
      { ingress: { enabled: true }, petsApi: { config: { TRUSTED_PROXIES: null } } },
      /ingress and gateway need petsApi\.config\.TRUSTED_PROXIES/,
    ],
    [
      'a gateway without its addresses',
      { gateway: { enabled: true, parentRefs: [{ name: 'public' }] }, petsApi: { config: { TRUSTED_PROXIES: '' } } },
      /ingress and gateway need petsApi\.config\.TRUSTED_PROXIES/,
    ],
  ])('refuses %s', (_title, values: Values, message) => {
    expect(refusalOf(merge(minimalValues, values))).toMatch(message);
  });
});
