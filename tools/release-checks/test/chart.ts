import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { isInstalled } from '@pets/testing';
import { parseManifests, titleOf, type Manifest } from '../src/manifests/manifest.js';
import { REPOSITORY } from '../src/repository.js';

export const CHART = join(REPOSITORY, 'deploy/helm');
const LIMIT_MS = 30_000;

/** Why suites of the chart cannot run here. */
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

/** What a release consists of, from a file of values or from values over the minimal ones. */
export function renderChart(namespace: string, values: string | Values): readonly Manifest[] {
  const args = ['template', 'pets', CHART, '--namespace', namespace];
  const { status, stdout, stderr } =
    typeof values === 'string' ? helm([...args, '--values', values]) : helm(args, merge(minimalValues, values));
  if (status !== 0) throw new Error(stderr);
  return parseManifests(stdout);
}

/** As helm puts files of values on each other: objects are merged, everything else is replaced. */
export function merge(base: Values, over: Values): Values {
  const isObject = (value: unknown): value is Values =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const merged = Object.entries(over).map(([key, value]) => {
    const below = base[key];
    return [key, isObject(value) && isObject(below) ? merge(below, value) : value];
  });
  return { ...base, ...(Object.fromEntries(merged) as Values) };
}

/** How Kustomize ends the name of a generated ConfigMap. */
const HASH = /-[2456789bcdfghkmt]{10}$/;
/** What a chart adds to every object, and Kustomize to those of its base. */
const LABELS = /^(?:helm\.sh\/chart|app\.kubernetes\.io\/(?:instance|version|managed-by|part-of))$/;
/** When the migration runs, and what restarts pods: here a checksum, there the name of the ConfigMap. */
const ANNOTATIONS = /^(?:helm\.sh\/hook|helm\.sh\/hook-delete-policy|argocd\.argoproj\.io\/.*|checksum\/config)$/;

/** The objects by kind and name, without what must differ between the chart and Kustomize. */
export function comparable(manifests: readonly Manifest[]): Readonly<Record<string, unknown>> {
  const objects = manifests
    .filter(({ kind }) => kind !== 'Namespace')
    .map((manifest) => normalize(manifest) as Manifest);
  return Object.fromEntries(objects.map((object) => [titleOf(object), object]));
}

function normalize(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => normalize(item));
  if (typeof value === 'string') return key === 'name' ? value.replace(HASH, '') : value;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([name]) => !(key === 'labels' && LABELS.test(name)) && !(key === 'annotations' && ANNOTATIONS.test(name)))
    .map(([name, inner]) => [name, normalize(inner, name)] as const)
    .filter(([name, inner]) => !['labels', 'annotations'].includes(name) || Object.keys(inner as object).length > 0);
  return Object.fromEntries(entries);
}
