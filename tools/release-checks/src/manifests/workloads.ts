import { z } from 'zod';
import { titleOf, type Manifest } from './manifest.js';

/** What the checks ask of a pod; everything else in it is judged by the schemas of Kubernetes. */
const variableSchema = z.object({
  name: z.string(),
  value: z.string().optional(),
  valueFrom: z
    .looseObject({ secretKeyRef: z.looseObject({ name: z.string(), key: z.string() }).optional() })
    .optional(),
});
const portSchema = z.union([z.string(), z.int()]);
const probeSchema = z.object({
  httpGet: z.object({ path: z.string(), port: portSchema }).optional(),
  tcpSocket: z.object({ port: portSchema }).optional(),
});
const containerSchema = z.looseObject({
  name: z.string(),
  image: z.string(),
  env: z.array(variableSchema).default([]),
  envFrom: z.array(z.object({ configMapRef: z.object({ name: z.string() }) })).default([]),
  ports: z.array(z.object({ name: z.string(), containerPort: z.int() })).default([]),
  livenessProbe: probeSchema.optional(),
  readinessProbe: probeSchema.optional(),
  lifecycle: z.object({ preStop: z.object({ sleep: z.object({ seconds: z.int() }) }) }).optional(),
  volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })).default([]),
  resources: z.looseObject({}),
  securityContext: z.looseObject({}),
});
const secretSchema = z.object({
  name: z.string(),
  optional: z.boolean().default(false),
  items: z.array(z.object({ key: z.string(), path: z.string() })),
});
const volumeSchema = z.looseObject({
  name: z.string(),
  projected: z.looseObject({ sources: z.array(z.object({ secret: secretSchema })) }).optional(),
});
const podSchema = z.looseObject({
  containers: z.tuple([containerSchema]),
  volumes: z.array(volumeSchema).default([]),
  securityContext: z.looseObject({}),
  terminationGracePeriodSeconds: z.int().default(30),
  automountServiceAccountToken: z.boolean().optional(),
  enableServiceLinks: z.boolean().optional(),
  topologySpreadConstraints: z.array(z.looseObject({ topologyKey: z.string() })).default([]),
});
const workloadSchema = z.looseObject({
  replicas: z.int().optional(),
  template: z.object({
    metadata: z.object({ labels: z.record(z.string(), z.string()) }),
    spec: podSchema,
  }),
});

/** Something that runs pods, each of one container. */
export interface Workload {
  readonly title: string;
  readonly name: string;
  readonly replicas: number | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly pod: z.infer<typeof podSchema>;
  readonly container: z.infer<typeof containerSchema>;
}

const kinds: readonly string[] = ['Deployment', 'StatefulSet', 'Job'];

/** Everything that runs pods among these resources. */
export function workloadsIn(manifests: readonly Manifest[]): readonly Workload[] {
  return manifests
    .filter(({ kind }) => kinds.includes(kind))
    .map((manifest) => {
      const { replicas, template } = workloadSchema.parse(manifest['spec']);
      const [container] = template.spec.containers;
      const { labels } = template.metadata;
      return {
        title: titleOf(manifest),
        name: manifest.metadata.name,
        replicas,
        labels,
        pod: template.spec,
        container,
      };
    });
}
