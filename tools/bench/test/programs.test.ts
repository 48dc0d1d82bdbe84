import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { repositoryRoot } from '@pets/testing/processes';

/** Programs that come with npm, with a checkout, or with every system. */
const there = ['npm', 'git', 'sh', 'tar', 'dpkg-query'];

interface SetUp {
  readonly debianPrograms: { readonly bench: readonly { readonly program: string }[] };
}

const texts = ['bench', 'chaos', 'lab']
  .flatMap((tool) => globSync(join(repositoryRoot, 'tools', tool, 'src/**/*.ts')))
  .filter((path) => !path.endsWith('.spec.ts'))
  .map((path) => readFileSync(path, 'utf8'));

it('the set-up of npm run bench and npm run chaos gets every program that they start', async () => {
  const started = texts.flatMap((text) => [
    ...text.matchAll(
      /(?:spawn|spawnSync|execFile|execFile\)|isInstalled|programPath|command: |on\(\w+, \[)\(?'([\w-]+)'/g,
    ),
    // Those whose version is recorded.
    ...text.matchAll(/^ {2}\w+: \[\['([\w-]+)', /gm),
    ...text.matchAll(/start(Pebble)\(/g),
  ]);
  const names = [...new Set(started.map(([, name = '']) => name.toLowerCase()))];
  expect(names).toEqual(expect.arrayContaining(['caddy', 'chromium', 'nginx', 'pebble', 'redis-server', 'strace']));
  const { debianPrograms } = (await import(join(repositoryRoot, 'tools/setup/debian-programs.mjs'))) as SetUp;
  const installed = debianPrograms.bench.map(({ program }) => program);
  expect(names.filter((name) => !installed.includes(name) && !there.includes(name))).toEqual([]);
});

it('the modules of built applications that benchmarks load by their path exist', () => {
  const found = (pattern: RegExp) => texts.flatMap((text) => [...text.matchAll(pattern)]);
  const loaded = [
    ...found(/\bof\('([\w./-]+)\.js'\)/g).map(([, file]) => `apps/pets-api/src/${file}.ts`),
    ...found(/\$\{edge\}\/([\w./-]+)\.js/g).map(([, file]) => `apps/edge/src/${file}.ts`),
    ...found(/\bbuilt\('([\w-]+)', '([\w./-]+)\.js'/g).map(([, app, file]) => `apps/${app}/src/${file}.ts`),
  ];
  expect(loaded).toEqual(
    expect.arrayContaining([
      'apps/pets-api/src/schedule/claim.query.ts',
      'apps/edge/src/http/limits.ts',
      'apps/pets-api/src/migrate.ts',
    ]),
  );
  expect(loaded.filter((path) => !existsSync(join(repositoryRoot, path)))).toEqual([]);
});
