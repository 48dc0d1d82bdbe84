import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { describeWhen } from '@pets/testing';
import { parse } from 'yaml';
import { z } from 'zod';
import { REPOSITORY } from '../src/repository.js';
import { apps, configurationOf, variablesOfLibraries, type App } from '../src/settings/app-settings.js';
import { missingHelm, renderRelease } from './chart/chart.js';
import { workloadsIn } from './chart/workloads.js';

/** No setting is forgotten: of the apps in docker-compose.yml, and of docker-compose.yml in .env.example; nor is a limit. */

const read = (path: string) => readFileSync(join(REPOSITORY, path), 'utf8');
const compose = read('docker-compose.yml');
const example = read('.env.example');

/** Ports and folders inside an image: what is outside is set by `ports` and `volumes`. */
const partsOfTheImage = ['HOST', 'PORT', 'HEALTH_PORT', 'DASHBOARD_FOLDER', 'EDGE_HTTP_PORT', 'EDGE_HTTPS_PORT'];

/**
 * Settings that compose does not offer: where the worker's queues are without a Redis, which is here; another place for
 * its metrics than `HEALTH_PORT`; and the ports of the two servers of a zone in `npm start`.
 */
const notOffered: Readonly<Partial<Record<App, readonly string[]>>> = {
  'domains-worker': ['DATABASE_URL', 'DATABASE_SESSION_URL', 'METRICS_PORT', 'DNS_AUTHORITATIVE_ADDRESSES'],
};

/** Variables that compose reads itself, not in the file. */
const ofComposeItself = ['COMPOSE_PROFILES'];

const composeSchema = z.object({
  services: z.record(
    z.string(),
    z.object({
      environment: z.record(z.string(), z.unknown()).default({}),
      mem_limit: z.string().optional(),
      logging: z.object({ options: z.object({ 'max-size': z.string(), 'max-file': z.string() }) }).optional(),
    }),
  ),
});
const { services } = composeSchema.parse(parse(compose, { merge: true }));

describe.each(apps)('%s', (app) => {
  const given = Object.keys(services[app]?.environment ?? {});

  it('is given each of its settings', async () => {
    const left = [...partsOfTheImage, ...(notOffered[app] ?? []), ...given.map((name) => name.replace(/_FILE$/, ''))];
    const settings = Object.keys((await configurationOf(app)).shape);
    expect(settings.filter((name) => !left.includes(name))).toEqual([]);
  });

  it('is given no setting that it does not have', async () => {
    const known = [...Object.keys((await configurationOf(app)).shape), ...variablesOfLibraries];
    expect(given.filter((name) => !known.includes(name.replace(/_FILE$/, '')))).toEqual([]);
  });
});

describe('docker-compose.yml', () => {
  it('limits the memory and the log of each service', () => {
    const unlimited = Object.entries(services).filter(([, { mem_limit: limit, logging }]) => !limit || !logging);
    expect(unlimited.map(([name]) => name)).toEqual([]);
  });
});

describeWhen(describe, 'docker-compose.yml, compared with the Helm chart', missingHelm, () => {
  const workloads = workloadsIn(renderRelease('production'));

  it.each(['migrate', ...apps])('gives %s as much memory as Kubernetes does', (name) => {
    const workload = workloads.find((each) => each.name === name);
    const { limits } = z.object({ limits: z.object({ memory: z.string() }) }).parse(workload?.container.resources);
    expect(megabytes(services[name]?.mem_limit ?? '')).toBe(megabytes(limits.memory));
  });
});

/** @param text of Compose, such as 768m or ${API_MEMORY:-768m}, or of Kubernetes, such as 768Mi */
function megabytes(text: string): number {
  const [, number = '', unit = ''] = /^(?:\$\{[A-Z_]+:-)?(\d+)([mg])i?\}?$/i.exec(text) ?? [];
  return Number(number || Number.NaN) * (unit.toLowerCase() === 'g' ? 1024 : 1);
}

const allMatches = (text: string, pattern: RegExp) => [
  ...new Set([...text.matchAll(pattern)].flatMap(([, name]) => (name === undefined ? [] : [name]))),
];

describe('.env.example', () => {
  const explained = allMatches(example, /^([A-Z][A-Z0-9_]+)=/gm);
  const used = allMatches(compose, /\$\{([A-Z][A-Z0-9_]+)/g);

  it('has each variable of docker-compose.yml', () => {
    expect(used.filter((name) => !explained.includes(name))).toEqual([]);
  });

  it('has no variable that nothing reads', () => {
    expect(explained.filter((name) => !used.includes(name) && !ofComposeItself.includes(name))).toEqual([]);
  });

  it('explains each: a comment stands above it, or above the ones that it belongs to', () => {
    const lines = example.split('\n');
    const isExplained = (index: number): boolean => {
      const above = lines[index - 1] ?? '';
      return above.startsWith('# ') || (/^[A-Z]/.test(above) && isExplained(index - 1));
    };
    const bare = lines.filter((line, index) => /^[A-Z]/.test(line) && !isExplained(index));
    expect(bare).toEqual([]);
  });

  it('shows the defaults of docker-compose.yml', () => {
    // The default of a folder is a volume, which is no folder that one could name; a copied digest would be kept for ever.
    const unshown = ['PLATFORM_CERTIFICATE_FOLDER', 'BACKUP_FOLDER', 'POSTGRES_IMAGE', 'REDIS_IMAGE'];
    const defaults = valuesOf(compose, /\$\{([A-Z][A-Z0-9_]+):-([^}]*)\}/g, unshown);
    expect(valuesOf(example, /^([A-Z][A-Z0-9_]+)=(.*)$/gm, [])).toMatchObject(defaults);
  });
});

function valuesOf(text: string, pattern: RegExp, leftOut: readonly string[]): Record<string, string> {
  const found = [...text.matchAll(pattern)].map(([, name = '', value = '']) => [name, value] as const);
  return Object.fromEntries(found.filter(([name]) => !leftOut.includes(name)));
}
