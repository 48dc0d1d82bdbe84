import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { findUnnamed, parseDependencyList, readWorkspaces } from '../src/dependencies/workspaces.js';
import { evaluateLicence, exceptions, readLockfile } from '../src/dependencies/licences.js';
import { REPOSITORY } from '../src/repository.js';

const listed = parseDependencyList(readFileSync(join(REPOSITORY, 'docs/dependencies.md'), 'utf8'));
const locked = readLockfile();
const workspaces = readWorkspaces();
const titled = workspaces.map((workspace) => [workspace.folder, workspace] as const);

describe('docs/dependencies.md', () => {
  it.each(titled)('lists what %s asks for, and nothing else', (folder, { dependencies }) => {
    const names = listed.filter((each) => each.folder === folder).map(({ name }) => name);
    expect(names.sort()).toEqual(dependencies);
  });

  it.each(titled)('says which of those %s names nowhere', (folder, workspace) => {
    const unnamed = listed.filter((each) => each.folder === folder && each.isUnnamed).map(({ name }) => name);
    expect(findUnnamed(workspace)).toEqual(unnamed.sort());
  });

  it('has no workspace that is gone', () => {
    const folders = new Set(workspaces.map(({ folder }) => folder));
    expect(listed.filter(({ folder }) => !folders.has(folder))).toEqual([]);
  });

  it('gives a reason for each', () => {
    expect(listed.filter(({ reason }) => reason.length < 10)).toEqual([]);
  });
});

describe('what an install brings', () => {
  const rootPackage = z
    .looseObject({ allowScripts: z.record(z.string(), z.boolean()) })
    .parse(JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')));

  it('is all in the lock file, for every system, which `npm ci` asks for', () => {
    const names = new Set(locked.map(({ name }) => name));
    const wanted = workspaces.flatMap(({ dependencies }) => dependencies);
    expect(wanted.filter((name) => !names.has(name))).toEqual([]);
  });

  it('runs no script that nobody has decided on', () => {
    const scripts = new Set(locked.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name));
    expect([...scripts].sort()).toEqual(Object.keys(rootPackage.allowScripts).sort());
  });

  it('is under licences that ask for nothing', () => {
    expect(locked.map(evaluateLicence).filter((fault) => fault !== null)).toEqual([]);
  });

  it('needs every exception that there is', () => {
    const unused = exceptions.filter(({ name, licence }) => {
      return !locked.some((each) => name.test(each.name) && each.licence === licence);
    });
    expect(unused).toEqual([]);
  });
});
