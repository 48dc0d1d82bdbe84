import { parseAllDocuments } from 'yaml';
import { z } from 'zod';

const manifestSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
});

/** One resource of Kubernetes; what else it holds depends on its kind. */
export type Manifest = z.infer<typeof manifestSchema>;

/** The resources of a stream of YAML documents, in their order. Octal numbers and booleans are those of YAML 1.1, as in kubectl. */
export function parseManifests(text: string): readonly Manifest[] {
  return parseAllDocuments(text, { version: '1.1' }).map((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return manifestSchema.parse(document.toJS());
  });
}

/** How a resource is called in messages. */
export function titleOf({ kind, metadata }: Manifest): string {
  return `${kind}/${metadata.name}`;
}

/** The one resource of a kind and name. */
export function findManifest(manifests: readonly Manifest[], kind: string, name: string): Manifest {
  const found = manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind}/${name} among ${manifests.map(titleOf).join(', ')}`);
  return found;
}
