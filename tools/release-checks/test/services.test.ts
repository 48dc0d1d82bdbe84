import { describe, expect, it } from '@jest/globals';
import { jobLanes, queues } from '@pets/contracts';
import { describeWhen } from '@pets/testing';
import { z } from 'zod';
import { findManifest, missingHelm, releases, renderRelease, titleOf } from './chart/chart.js';
import { environmentOf, workloadsIn } from './chart/workloads.js';

const labelsSchema = z.record(z.string(), z.string());
const serviceSchema = z.looseObject({
  selector: labelsSchema,
  ports: z.array(z.looseObject({ name: z.string(), port: z.int(), targetPort: z.union([z.string(), z.int()]) })),
});
const budgetSchema = z.looseObject({ maxUnavailable: z.int(), selector: z.object({ matchLabels: labelsSchema }) });
const scalerSchema = z.looseObject({
  scaleTargetRef: z.object({ apiVersion: z.string(), kind: z.string(), name: z.string() }),
});
const ingressSchema = z.looseObject({
  rules: z.array(
    z.object({ host: z.string(), http: z.object({ paths: z.array(z.looseObject({ path: z.string() })) }) }),
  ),
});
const triggersSchema = z.looseObject({ triggers: z.array(z.looseObject({ metadata: labelsSchema })) });

describeWhen(describe, 'around the pods of the Helm chart', missingHelm, () => {
  describe.each(releases)('for %s', (release) => {
    const manifests = renderRelease(release);
    const workloads = workloadsIn(manifests);
    const ofKind = (...kinds: string[]) => manifests.filter(({ kind }) => kinds.includes(kind));
    const selectedBy = (labels: Readonly<Record<string, string>>) =>
      workloads.filter((workload) => Object.entries(labels).every(([name, value]) => workload.labels[name] === value));

    it.each(ofKind('Service').map((service) => [service.metadata.name, service] as const))(
      'the service %s leads to ports of one workload',
      (_name, service) => {
        const { selector, ports } = serviceSchema.parse(service['spec']);
        const [workload, ...others] = selectedBy(selector);
        const metricsPort = workload && Number(environmentOf(workload, manifests).get('METRICS_PORT'));
        const known = workload?.container.ports.flatMap(({ name, containerPort }) => [name, containerPort]) ?? [];
        expect(others).toEqual([]);
        for (const { targetPort } of ports) expect([...known, metricsPort]).toContain(targetPort);
      },
    );

    it('edges find pets-api under the name of its service', () => {
      const [edge] = workloads.filter(({ name }) => name === 'edge');
      const url = new URL((edge && environmentOf(edge, manifests).get('API_URL')) ?? '');
      const { ports } = serviceSchema.parse(findManifest(manifests, 'Service', url.hostname)['spec']);
      expect(ports.map(({ port }) => port)).toContain(Number(url.port));
    });

    it('visitors reach the edges with their own address', () => {
      expect(findManifest(manifests, 'Service', 'edge')['spec']).toMatchObject({
        type: 'LoadBalancer',
        externalTrafficPolicy: 'Local',
        ports: [{ port: 80 }, { port: 443 }],
      });
    });

    it('clients reach what is theirs, at the host that answers name', () => {
      const { rules } = ingressSchema.parse(findManifest(manifests, 'Ingress', 'pets-api')['spec']);
      const [api] = workloads.filter(({ name }) => name === 'pets-api');
      const publicUrl = new URL((api && environmentOf(api, manifests).get('PUBLIC_URL')) ?? '');
      expect(rules.map(({ host }) => host)).toEqual([publicUrl.hostname]);
      const paths = rules.flatMap(({ http }) => http.paths.map(({ path }) => path));
      expect(paths).toEqual(['/v1', '/openapi.json', '/docs', '/problems', '/dashboard']);
    });

    it('every process is kept from being drained away all at once', () => {
      const budgets = ofKind('PodDisruptionBudget').map(({ spec }) => budgetSchema.parse(spec));
      const kept = budgets.flatMap(({ selector }) => selectedBy(selector.matchLabels).map(({ name }) => name));
      expect(kept.sort()).toEqual(['domains-worker', 'edge', 'pets-api']);
      expect(budgets.map(({ maxUnavailable }) => maxUnavailable)).toEqual([1, 1, 1]);
    });

    it('what is scaled has no number of its own, and what is not has', () => {
      const scalers = ofKind('HorizontalPodAutoscaler', 'ScaledObject').map(({ spec }) => scalerSchema.parse(spec));
      const scaled = scalers.map(({ scaleTargetRef: { kind, name } }) => `${kind}/${name}`);
      const all = ofKind('Deployment', 'StatefulSet').map(titleOf);
      expect(all).toEqual(expect.arrayContaining(scaled));
      const servers = workloads.filter(({ name }) => !['migrate', 'challenge-dns'].includes(name));
      for (const { title, replicas } of servers.filter((each) => scaled.includes(each.title)))
        expect([title, replicas]).toEqual([title, undefined]);
      for (const { replicas } of servers.filter(({ title }) => !scaled.includes(title)))
        expect(replicas).toBeGreaterThanOrEqual(2);
    });
  });
});

describeWhen(describe, 'the number of workers', missingHelm, () => {
  it('follows the lists in which BullMQ keeps what waits', () => {
    const { spec } = findManifest(renderRelease('production'), 'ScaledObject', 'domains-worker');
    const lists = triggersSchema.parse(spec).triggers.map(({ metadata }) => metadata['listName']);
    const filled = [...jobLanes.map((lane) => queues[lane]), queues.webhooks];
    expect(lists.toSorted()).toEqual(filled.map((queue) => `bull:${queue}:wait`).sort());
  });
});
