import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/** That no setting is forgotten: of the apps in docker-compose.yml, and of docker-compose.yml in .env.example. */

const root = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const compose = read('docker-compose.yml');
const example = read('.env.example');

/** Ports and folders inside an image: what is outside is set by `ports` and `volumes`. */
const partsOfTheImage = ['HOST', 'PORT', 'HEALTH_PORT', 'DASHBOARD_FOLDER', 'EDGE_HTTP_PORT', 'EDGE_HTTPS_PORT'];

/** Where the worker's queues are without a Redis, which is here; and another place for its metrics than `HEALTH_PORT`. */
const notOffered: Readonly<Record<string, readonly string[]>> = {
  'domains-worker': ['DATABASE_URL', 'DATABASE_SESSION_URL', 'METRICS_PORT'],
};

/** What compose reads itself, not in the file. */
const ofComposeItself = ['COMPOSE_PROFILES'];

const allMatches = (text: string, pattern: RegExp) => [
  ...new Set([...text.matchAll(pattern)].flatMap(([, name]) => (name === undefined ? [] : [name]))),
];

function settingsOf(app: string): readonly string[] {
  const folder = app === 'pets-api' ? 'src/platform' : 'src';
  return allMatches(read(`apps/${app}/${folder}/config.ts`), /^ {2,4}([A-Z][A-Z0-9_]+): /gm);
}

/** The lines of a service, or of a block that it merges: those that stand further to the right. */
function blockOf(name: string): string {
  const [, indent = '', rest = ''] = new RegExp(`^( *)${name}:[^\\n]*\\n([^]*)`, 'm').exec(compose) ?? [];
  const end = rest.search(new RegExp(`^ {0,${indent.length}}\\S`, 'm'));
  return rest.slice(0, end === -1 ? undefined : end);
}

const environmentOf = {
  'pets-api': blockOf('x-api-environment'),
  'domains-worker': blockOf('domains-worker'),
  edge: blockOf('edge'),
} as const;

describe.each(Object.entries(environmentOf))('%s', (app, block) => {
  const given = allMatches(block, /^ +([A-Z][A-Z0-9_]+): /gm);

  it('is given each of its settings', () => {
    const settings = settingsOf(app);
    const left = [...partsOfTheImage, ...(notOffered[app] ?? [])];
    expect(settings.length).toBeGreaterThan(10);
    expect(
      settings.filter((name) => !left.includes(name) && !given.includes(name) && !given.includes(`${name}_FILE`)),
    ).toEqual([]);
  });

  it('is given no setting that it does not have', () => {
    const known = [...settingsOf(app), 'NODE_EXTRA_CA_CERTS'];
    expect(given.filter((name) => !known.includes(name.replace(/_FILE$/, '')))).toEqual([]);
  });
});

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
    // The default of the folder is a volume, which is no folder that one could name; a copied digest would be kept for ever.
    const unshown = ['PLATFORM_CERTIFICATE_FOLDER', 'POSTGRES_IMAGE', 'REDIS_IMAGE'];
    const defaults = valuesOf(compose, /\$\{([A-Z][A-Z0-9_]+):-([^}]*)\}/g, unshown);
    expect(valuesOf(example, /^([A-Z][A-Z0-9_]+)=(.*)$/gm, [])).toMatchObject(defaults);
  });
});

function valuesOf(text: string, pattern: RegExp, leftOut: readonly string[]): Record<string, string> {
  const found = [...text.matchAll(pattern)].map(([, name = '', value = '']) => [name, value] as const);
  return Object.fromEntries(found.filter(([name]) => !leftOut.includes(name)));
}
