import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { describeWhen } from '@pets/testing';
import { z } from 'zod';
import { REPOSITORY } from '../src/repository.js';
import { missingHelm, releases, renderRelease, type Manifest } from './chart/chart.js';
import { secretFilesOf, secretVariablesOf, workloadsIn, type Workload } from './chart/workloads.js';

const ingressSchema = z.looseObject({ tls: z.array(z.looseObject({ secretName: z.string() })) });
const authenticationSchema = z.looseObject({
  secretTargetRef: z.array(z.looseObject({ name: z.string(), key: z.string() })),
});

const secretsOf = (workload: Workload) => [...secretFilesOf(workload), ...secretVariablesOf(workload)];

/** `secret/key` of everything that manifests refer to. */
function secretsNamedBy(manifests: readonly Manifest[]): readonly string[] {
  const keys = workloadsIn(manifests).flatMap(secretsOf);
  const specs = (wanted: string) => manifests.filter(({ kind }) => kind === wanted).map(({ spec }) => spec);
  const refs = specs('TriggerAuthentication').flatMap((spec) => authenticationSchema.parse(spec).secretTargetRef);
  const certificates = specs('Ingress').flatMap((spec) => ingressSchema.parse(spec).tls);
  return [
    ...keys.map(({ secret, key }) => `${secret}/${key}`),
    ...refs.map(({ name, key }) => `${name}/${key}`),
    // What an ingress controller expects in a secret of its kind.
    ...certificates.flatMap(({ secretName }) => ['tls.crt', 'tls.key'].map((key) => `${secretName}/${key}`)),
  ];
}

/** `secret/key` of the table in docs/operations/kubernetes.md. */
function secretsInManual(): readonly string[] {
  const text = readFileSync(join(REPOSITORY, 'docs/operations/kubernetes.md'), 'utf8');
  const [section = ''] = text.split('\n## Secrets\n')[1]?.split('\n## ') ?? [];
  return [...section.matchAll(/^\| `([^`]+)` +\| ([^|]+) \|/gm)].flatMap(([, secret = '', keys = '']) =>
    [...keys.matchAll(/`([^`]+)`/g)].map(([, key = '']) => `${secret}/${key}`),
  );
}

describeWhen(describe, 'the secrets that a site has to make', missingHelm, () => {
  it('are those that docs/operations/kubernetes.md lists', () => {
    const named = releases.flatMap((release) => secretsNamedBy(renderRelease(release)));
    expect([...new Set(named)].sort()).toEqual([...secretsInManual()].sort());
  });

  it.each([
    ['pets-api', ['application', 'database', 'edge-access', 'oidc', 'queue', 'queue-keys', 'storage-writer']],
    ['domains-worker', ['acme', 'challenge-dns', 'queue', 'queue-keys']],
    ['challenge-dns', ['challenge-dns']],
    ['edge', ['edge-access', 'storage-reader']],
    ['migrate', ['database', 'queue']],
  ])('reach %s as far as it needs them', (name, expected) => {
    const workload = workloadsIn(renderRelease('production')).find((each) => each.name === name);
    const secrets = new Set(workload && secretsOf(workload).map(({ secret }) => secret));
    expect([...secrets].sort()).toEqual(expected);
  });
});
