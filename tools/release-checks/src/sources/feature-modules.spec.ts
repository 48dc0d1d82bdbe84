import { describe, expect, it } from '@jest/globals';
import { findBoundaryFaults, findFolderFaults } from './feature-modules.js';
import type { FeatureModules } from './module-tables.js';

const modules: FeatureModules = {
  base: { imports: [], exposes: ['clock.ts'] },
  keys: { imports: ['base'], exposes: [] },
  names: { imports: ['base'], exposes: [] },
};

const faultsOf = (imports: Record<string, string>, table = modules) =>
  findBoundaryFaults(
    new Map(
      Object.entries({ 'keys/keys.ts': 'base/clock.ts', ...imports }).map(([from, to]) => [
        `src/${from}`,
        [`src/${to}`],
      ]),
    ),
    table,
    'src/',
  );

describe('findBoundaryFaults', () => {
  it.each([
    ['an exposed file of a module that may be imported', { 'names/list.ts': 'base/clock.ts' }],
    ['the class of a module', { 'names/names.module.ts': 'base/base.module.ts' }],
    ['a file of the same module', { 'names/list.ts': 'names/row.ts' }],
    [
      'any file, from where the process is put together',
      { 'create-app.ts': 'keys/keys.ts', 'operations/admin/a.ts': 'names/row.ts' },
    ],
    ['modules, in app.module.ts', { 'app.module.ts': 'keys/keys.module.ts' }],
  ])('accepts %s', (_name, imports) => expect(faultsOf(imports)).toEqual([]));

  it.each([
    [
      'a private file',
      { 'names/list.ts': 'base/secret.ts' },
      'names/list.ts imports base/secret.ts, which base does not expose',
    ],
    [
      'a module that may not be imported',
      { 'names/list.ts': 'keys/keys.module.ts' },
      'names/list.ts imports keys/keys.module.ts: names may not import keys',
    ],
    [
      'the operator’s command',
      { 'names/list.ts': 'operations/admin/a.ts' },
      'names/list.ts imports operations/admin/a.ts: names may not import operations',
    ],
    [
      'a file outside the folders',
      { 'names/list.ts': 'main.ts' },
      'names/list.ts imports main.ts: names may not import the process',
    ],
    ['a folder that is no module', { 'other/a.ts': 'base/clock.ts' }, 'other/a.ts is in no module'],
    [
      'a provider in app.module.ts',
      { 'app.module.ts': 'keys/keys.ts' },
      'app.module.ts imports keys/keys.ts, which is no module',
    ],
  ])('refuses %s', (_name, imports, fault) => expect(faultsOf(imports)).toEqual([fault]));

  it('refuses a table with a cycle', () => {
    const table = { ...modules, base: { imports: ['keys'], exposes: ['clock.ts'] } };
    expect(faultsOf({}, table)).toEqual(['base may not import keys, which is not before it']);
  });

  it('refuses an exposed file that no module imports', () => {
    const table = { ...modules, names: { imports: ['base'], exposes: ['list.ts'] } };
    expect(faultsOf({}, table)).toEqual(['names exposes list.ts, which no module imports']);
  });
});

describe('findFolderFaults', () => {
  const folders = { feed: [], store: ['feed'] };
  const faultsOf = (imports: Record<string, string>, table = folders as Record<string, readonly string[]>) =>
    findFolderFaults(
      new Map(
        Object.entries({ 'store/store.ts': 'feed/feed.ts', ...imports }).map(([from, to]) => [
          `src/${from}`,
          [`src/${to}`],
        ]),
      ),
      table,
      'src/',
    );

  it.each([
    ['a folder that may be imported', {}],
    ['a file of the same folder', { 'store/row.ts': 'store/page.ts' }],
    ['any folder, from beside the folders', { 'main.ts': 'store/store.ts' }],
    ['any folder, from the class of a module', { 'feed/feed.module.ts': 'store/store.ts' }],
  ])('accepts %s', (_name, imports) => expect(faultsOf(imports)).toEqual([]));

  it.each([
    [
      'a folder that may not be imported',
      { 'feed/feed.ts': 'store/store.ts' },
      'src/feed/feed.ts imports src/store/store.ts: feed may not import store',
    ],
    [
      'a file beside the folders',
      { 'feed/feed.ts': 'main.ts' },
      'src/feed/feed.ts imports src/main.ts: feed may not import .',
    ],
    ['a folder that is not listed', { 'other/a.ts': 'feed/feed.ts' }, 'src/other/a.ts is in no folder of the table'],
  ])('refuses %s', (_name, imports, fault) => expect(faultsOf(imports)).toEqual([fault]));

  it('refuses a table with a cycle', () =>
    expect(faultsOf({ 'feed/feed.ts': 'store/store.ts' }, { feed: ['store'], store: ['feed'] })).toEqual([
      'src/feed may not import store, which is not before it',
    ]));

  it('refuses an entry that nothing needs', () =>
    expect(faultsOf({}, { ...folders, tables: ['feed'] })).toEqual(['src/tables may import feed and does not']));
});
