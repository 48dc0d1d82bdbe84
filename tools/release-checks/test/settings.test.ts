import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadConfig } from '@pets/platform';
import { describeWhen } from '@pets/testing';
import { z } from 'zod';
import { apps, configurationOf, secretSettings, variablesOfLibraries, type App } from '../src/settings/app-settings.js';
import { missingHelm, releases, renderRelease, type Release } from './chart/chart.js';
import { environmentOf, secretFilesOf, workloadsIn } from './chart/workloads.js';
import { mountSecrets, type MountedSecrets } from './sample-secrets.js';

/** The migration reads pets-api's settings, and of those only these. */
const readByMigration = ['DATABASE_URL', 'DATABASE_SESSION_URL', 'REDIS_URL', 'LOG_LEVEL'];
const workloads = [...apps, 'migrate'];

async function settingsOf(name: string): Promise<z.ZodObject> {
  if (name !== 'migrate') return configurationOf(name as App);
  const { shape } = await configurationOf('pets-api');
  return z.object(Object.fromEntries(Object.entries(shape).filter(([setting]) => readByMigration.includes(setting))));
}

describeWhen(describe, 'the settings of the Helm chart', missingHelm, () => {
  describe.each(releases)('for %s', (release) => checkSettings(release));
});

function checkSettings(release: Release): void {
  const manifests = renderRelease(release);
  const inPods = new Map(
    workloadsIn(manifests).map((workload) => [
      workload.name,
      { environment: environmentOf(workload, manifests), files: secretFilesOf(workload) },
    ]),
  );
  const mounted = new Map<string, MountedSecrets>();
  const podOf = (name: string) => inPods.get(name) ?? { environment: new Map<string, string>(), files: [] };

  /** Configuration that the process would read from the files of its pod. */
  const configuration = async (name: string): Promise<Record<string, unknown>> => {
    const environment = [...podOf(name).environment].map(([variable, value]) => {
      return [variable, variable.endsWith('_FILE') ? (mounted.get(name)?.locate(value) ?? value) : value];
    });
    return loadConfig(await settingsOf(name), Object.fromEntries(environment) as Record<string, string>);
  };

  beforeAll(async () => {
    for (const name of workloads) mounted.set(name, await mountSecrets(podOf(name).files));
  });
  afterAll(async () => {
    for (const secrets of mounted.values()) await secrets.unmount();
  });

  it.each(workloads)('let %s start: nothing that is required is missing or wrong', async (name) => {
    await expect(configuration(name)).resolves.toBeDefined();
  });

  it.each(workloads)('hold no name that %s does not read', async (name) => {
    const known = Object.keys((await settingsOf(name)).shape);
    // POD_IP is what others are put together from.
    const read = new Set([...known, ...known.map((setting) => `${setting}_FILE`), ...variablesOfLibraries, 'POD_IP']);
    expect([...podOf(name).environment.keys()].filter((variable) => !read.has(variable))).toEqual([]);
  });

  it.each(workloads)('point %s to files that are there', (name) => {
    const { environment, files } = podOf(name);
    const wanted = [...environment].filter(([variable]) => variable.endsWith('_FILE')).map(([, path]) => path);
    expect(wanted.sort()).toEqual(files.map(({ path }) => path).sort());
  });

  it('hold no secret: each comes from a file', async () => {
    // Optional, and so a reference instead of a file.
    const secrets = secretSettings.filter((name) => name !== 'OIDC_CLIENT_SECRET');
    for (const name of workloads)
      expect([...podOf(name).environment.keys()].filter((key) => secrets.includes(key))).toEqual([]);
    expect(manifests.filter(({ kind }) => kind === 'Secret')).toEqual([]);
  });

  it.each([
    ['PLATFORM_DOMAIN', ['pets-api', 'edge']],
    ['STORAGE_URL', ['pets-api', 'edge']],
    ['EDGE_MAX_STALENESS', ['pets-api', 'edge']],
    ['PUBLIC_HTTPS_PORT', ['pets-api', 'edge']],
    ['ACME_DIRECTORY_URLS', ['pets-api', 'domains-worker']],
  ])('agree on %s', async (setting, names) => {
    const values = await Promise.all(names.map(async (name) => (await configuration(name))[setting]));
    expect(values[0]).toBeDefined();
    expect(values[1]).toEqual(values[0]);
  });

  it('agree on the zone of challenges, at the worker, the API and its name server', async () => {
    const [api, worker] = await Promise.all([configuration('pets-api'), configuration('domains-worker')]);
    const server = podOf('challenge-dns').environment.get('ACME_DNS_ZONE');
    expect([worker['ACME_DNS_ZONE'], server]).toEqual([api['ACME_DNS_ZONE'], api['ACME_DNS_ZONE']]);
    expect(server).toBe(release !== 'staging' ? 'acme.pets.example.com' : undefined);
  });

  it('take the keys of this environment alone', async () => {
    expect(await configuration('pets-api')).toMatchObject({
      ENVIRONMENT: release === 'staging' ? 'staging' : 'production',
    });
  });

  it('let the worker reach each edge by the address of its pod', async () => {
    const { EDGE_HTTP_PORT, EDGE_HTTPS_PORT, ...edge } = await configuration('edge');
    expect(edge).toMatchObject({
      ADVERTISED_HTTP_ADDRESS: `10.1.2.3:${String(EDGE_HTTP_PORT)}`,
      ADVERTISED_HTTPS_ADDRESS: `10.1.2.3:${String(EDGE_HTTPS_PORT)}`,
    });
  });
}
