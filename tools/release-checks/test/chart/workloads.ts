import { posix } from 'node:path';
import { z } from 'zod';
import { titleOf, type Manifest } from './chart.js';

/** Parts of a pod that the checks read; the schemas of Kubernetes judge everything else in it. */
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
const itemsSchema = z.array(z.object({ key: z.string(), path: z.string() }));
const secretSchema = z.object({ name: z.string(), items: itemsSchema });
const volumeSchema = z.looseObject({
  name: z.string(),
  projected: z.looseObject({ sources: z.array(z.object({ secret: secretSchema })) }).optional(),
  secret: z.looseObject({ secretName: z.string(), items: itemsSchema }).optional(),
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

const configMapSchema = z.looseObject({ data: z.record(z.string(), z.string()) });

/** Variables about the pod, which others refer to as `$(NAME)`. */
const standIns: Readonly<Record<string, string>> = { POD_IP: '10.1.2.3' };

/**
 * The environment that a container starts with, as Kubernetes puts it together: its ConfigMaps, then its own variables, in
 * which `$(NAME)` stands for one that comes before.
 * @throws Error for a ConfigMap that is not there
 */
export function environmentOf({ title, container }: Workload, manifests: readonly Manifest[]): Map<string, string> {
  const environment = new Map<string, string>();
  for (const { configMapRef } of container.envFrom) {
    const map = manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMapRef.name);
    if (map === undefined) throw new Error(`${title}: there is no ConfigMap ${configMapRef.name}`);
    for (const [name, value] of Object.entries(configMapSchema.parse(map).data)) environment.set(name, value);
  }
  for (const { name, value = standIns[name] ?? '' } of container.env) {
    environment.set(
      name,
      value.replaceAll(/\$\(([A-Z_]+)\)/g, (reference, referred: string) => environment.get(referred) ?? reference),
    );
  }
  return environment;
}

/** A file that a pod finds its secret in. */
export interface SecretFile {
  readonly path: string;
  readonly secret: string;
  readonly key: string;
}

/** Every file of a secret that a container finds, by its whole path. */
export function secretFilesOf({ pod, container }: Workload): readonly SecretFile[] {
  return container.volumeMounts.flatMap(({ name, mountPath }) =>
    secretsOf(pod.volumes.find((volume) => volume.name === name)).flatMap(({ name: secret, items }) =>
      items.map(({ key, path }) => ({ path: posix.join(mountPath, path), secret, key })),
    ),
  );
}

/** The secrets in a volume, which has several or one. */
function secretsOf(volume: z.infer<typeof volumeSchema> | undefined): readonly z.infer<typeof secretSchema>[] {
  const { projected, secret } = volume ?? {};
  const alone = secret === undefined ? [] : [{ name: secret.secretName, items: secret.items }];
  return [...(projected?.sources.map((source) => source.secret) ?? []), ...alone];
}

/** Every variable that a container takes from a secret, by its key. */
export function secretVariablesOf({ container }: Workload): readonly Pick<SecretFile, 'secret' | 'key'>[] {
  return container.env.flatMap(({ valueFrom }) =>
    valueFrom?.secretKeyRef === undefined
      ? []
      : [{ secret: valueFrom.secretKeyRef.name, key: valueFrom.secretKeyRef.key }],
  );
}
