import { posix } from 'node:path';
import { z } from 'zod';
import type { Manifest } from './manifest.js';
import type { Workload } from './workloads.js';

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
  readonly isOptional: boolean;
}

/** Every file of a secret that a container finds, by its whole path. */
export function secretFilesOf({ pod, container }: Workload): readonly SecretFile[] {
  return container.volumeMounts.flatMap(({ name, mountPath }) =>
    (pod.volumes.find((volume) => volume.name === name)?.projected?.sources ?? []).flatMap(({ secret }) =>
      secret.items.map(({ key, path }) => ({
        path: posix.join(mountPath, path),
        secret: secret.name,
        key,
        isOptional: secret.optional,
      })),
    ),
  );
}

/** Every variable that a container takes from a secret, by its key. */
export function secretVariablesOf({ container }: Workload): readonly Pick<SecretFile, 'secret' | 'key'>[] {
  return container.env.flatMap(({ valueFrom }) =>
    valueFrom?.secretKeyRef === undefined
      ? []
      : [{ secret: valueFrom.secretKeyRef.name, key: valueFrom.secretKeyRef.key }],
  );
}
