import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isInstalled } from '@pets/testing';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { REPOSITORY } from '../../src/repository.js';

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

export const CHART = join(REPOSITORY, 'deploy/helm');
const LIMIT_MS = 30_000;

/** Reason why suites of the chart cannot run here; null if they can. */
export const missingHelm = isInstalled('helm') ? null : 'helm is not installed';

/** Values of a site that are enough for every process to start. */
export const minimalValues = {
  images: { registry: 'registry.example.com/pets' },
  petsApi: {
    config: {
      PUBLIC_URL: 'https://api.example.com',
      PLATFORM_DOMAIN: 'pets.example.com',
      STORAGE_URL: 's3://pets',
      ACME_DIRECTORY_URLS: 'https://ca.example.com/directory',
      TRUSTED_PROXIES: 'none',
    },
  },
  domainsWorker: { config: { ACME_DIRECTORY_URLS: 'https://ca.example.com/directory' } },
  edge: { config: { PLATFORM_DOMAIN: 'pets.example.com', STORAGE_URL: 's3://pets' } },
};

/** A part of the values, as a file of the site has it. */
export type Values = Readonly<Record<string, unknown>>;

/** Runs helm, with values on its standard input where there are some. */
export function helm(args: readonly string[], values?: Values) {
  const options = { input: JSON.stringify(values ?? {}), encoding: 'utf8', timeout: LIMIT_MS } as const;
  return spawnSync('helm', [...args, ...(values ? ['--values', '-'] : [])], {
    ...options,
    maxBuffer: 16 * 1024 * 1024,
  });
}

/** Renders a release from these values alone or, as most tests need them, over the minimal ones. */
export function renderChart(namespace: string, values: Values, base: Values = minimalValues): readonly Manifest[] {
  const { status, stdout, stderr } = helm(['template', 'pets', CHART, '--namespace', namespace], merge(base, values));
  if (status !== 0) throw new Error(stderr);
  return parseManifests(stdout);
}

/** Merges values as helm does with files of them: objects are merged, everything else is replaced. */
export function merge(base: Values, over: Values): Values {
  const isObject = (value: unknown): value is Values =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const merged = Object.entries(over).map(([key, value]) => {
    const below = base[key];
    return [key, isObject(value) && isObject(below) ? merge(below, value) : value];
  });
  return { ...base, ...(Object.fromEntries(merged) as Values) };
}

/** The complete examples of sites, and the namespace of each. */
export const examples = ['production', 'staging'] as const;
type Example = (typeof examples)[number];
const namespaces: Readonly<Record<Example, string>> = { production: 'pets', staging: 'pets-staging' };

export const exampleFile = (name: Example) => join(CHART, 'examples', `${name}.yaml`);
export const optionFile = (name: string) => join(CHART, 'examples/options', `${name}.yaml`);
const readValues = (file: string) => parse(readFileSync(file, 'utf8')) as Values; // checked by the schema of the chart

/** Examples that a site adds to its values, by their name. */
export const options: ReadonlyMap<string, Values> = new Map(
  readdirSync(join(CHART, 'examples/options')).map((file) => {
    const name = basename(file, '.yaml');
    return [name, readValues(optionFile(name))];
  }),
);

/** Releases that every object is checked of: those of the examples, and production with every option. */
export const releases = [...examples, 'production with every option'] as const;
export type Release = (typeof releases)[number];

const rendered = new Map<Release, readonly Manifest[]>();

/** The objects of a release, which helm makes once; none where suites of the chart cannot run. */
export function renderRelease(release: Release): readonly Manifest[] {
  if (missingHelm !== null) return [];
  const known = rendered.get(release);
  if (known !== undefined) return known;
  const manifests = render(release);
  rendered.set(release, manifests);
  return manifests;
}

function render(release: Release): readonly Manifest[] {
  const isExample = release !== 'production with every option';
  const example = isExample ? release : 'production';
  const added = isExample ? {} : [...options.values()].reduce(merge, {});
  return renderChart(namespaces[example], added, readValues(exampleFile(example)));
}
