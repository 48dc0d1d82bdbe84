import { describe, expect, it } from '@jest/globals';
import { describeWhen } from '@pets/testing';
import { missingHelm, releases, renderRelease } from './chart/chart.js';
import { environmentOf, workloadsIn, type Workload } from './chart/workloads.js';

/** The longest time a process takes to stop (docs/operations/upgrades.md). */
const HARD_STOP_SECONDS = 25;

const titled = (list: readonly Workload[]) => list.map((workload) => [workload.title, workload] as const);

describeWhen(describe, 'the pods of the Helm chart', missingHelm, () => {
  describe.each(releases)('for %s', (release) => {
    const manifests = renderRelease(release);
    const workloads = workloadsIn(manifests);
    const servers = workloads.filter(({ name }) => !['migrate', 'challenge-dns'].includes(name));

    it('are those of our workloads', () => {
      expect(workloads.map(({ title }) => title).sort()).toEqual([
        ...(release !== 'staging' ? ['Deployment/challenge-dns'] : []),
        'Deployment/domains-worker',
        'Deployment/pets-api',
        'Job/migrate',
        'StatefulSet/edge',
      ]);
    });

    it.each(titled(workloads))('of %s may do nothing but their work', (_title, { pod, container }) => {
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(pod.automountServiceAccountToken).toBe(false);
      // Variables of neighbouring services would mix with the settings.
      expect(pod.enableServiceLinks).toBe(false);
    });

    it.each(titled(workloads))('of %s say what they need, and have a limit of memory', (_title, { container }) => {
      expect(container.resources).toEqual({
        requests: { cpu: expect.any(String), memory: expect.any(String) },
        limits: { memory: expect.any(String) },
      });
    });

    it.each(titled(servers))('of %s are asked what `/livez` and `/readyz` are for', (_title, { container }) => {
      expect(container.livenessProbe?.httpGet?.path).toBe('/livez');
      expect(container.readinessProbe?.httpGet?.path).toBe('/readyz');
    });

    it.each(titled(servers))('of %s have time to stop', (_title, { pod, container }) => {
      const preStopSeconds = container.lifecycle?.preStop.sleep.seconds ?? 0;
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(preStopSeconds + HARD_STOP_SECONDS);
    });

    it.each(titled(servers))('of %s are spread over zones and nodes', (_title, { pod }) => {
      const keys = pod.topologySpreadConstraints.map(({ topologyKey }) => topologyKey);
      expect(keys).toEqual(['topology.kubernetes.io/zone', 'kubernetes.io/hostname']);
    });

    it.each([
      ['pets-api', { http: 'PORT', internal: 'INTERNAL_PORT' }],
      ['domains-worker', { health: 'HEALTH_PORT' }],
      ['edge', { http: 'EDGE_HTTP_PORT', https: 'EDGE_HTTPS_PORT', health: 'HEALTH_PORT' }],
    ])('of %s listen where they are looked for', (name, settings) => {
      const [workload] = workloads.filter((each) => each.name === name);
      const environment = workload && environmentOf(workload, manifests);
      const expected = Object.entries(settings).map(([port, setting]) => ({
        name: port,
        containerPort: Number(environment?.get(setting)),
      }));
      expect(workload?.container.ports).toEqual(expected);
      expect(workload?.container.readinessProbe?.httpGet?.port).toBe('health' in settings ? 'health' : 'http');
    });

    it('of the name server of challenges are one, which is asked for a connection', () => {
      for (const { replicas, container } of workloads.filter(({ name }) => name === 'challenge-dns')) {
        expect(replicas).toBe(1);
        expect(container.livenessProbe).toEqual({ tcpSocket: { port: 'dns-tcp' } });
        expect(container.readinessProbe).toEqual({ tcpSocket: { port: 'dns-tcp' } });
      }
    });

    it('of the edge keep their folder where a pod that comes back finds it', () => {
      const [edge] = workloads.filter(({ name }) => name === 'edge');
      const mount = edge?.container.volumeMounts.find(({ name }) => name === 'state');
      expect(mount?.mountPath).toBe(edge && environmentOf(edge, manifests).get('EDGE_DATA_DIR'));
      expect(manifests.find(({ kind }) => kind === 'StatefulSet')?.['spec']).toMatchObject({
        volumeClaimTemplates: [{ metadata: { name: 'state' }, spec: { accessModes: ['ReadWriteOncePod'] } }],
      });
    });
  });
});
