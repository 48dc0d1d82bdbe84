import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryRoot } from '@pets/testing/processes';

/** Copies every source of the repository into a folder, to edit it there. The npm packages are those of the original. */
export function copyRepository(folder: string): void {
  const files = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: repositoryRoot,
    encoding: 'utf8',
  });
  if (files.status !== 0) throw new Error(files.stderr);
  for (const name of files.stdout.split('\0').filter((each) => each !== '' && !each.startsWith('docs/'))) {
    const [from, to] = [join(repositoryRoot, name), join(folder, name)];
    mkdirSync(dirname(to), { recursive: true });
    if (existsSync(from)) cpSync(from, to);
  }
  cpSync(join(repositoryRoot, 'docs/openapi.json'), join(folder, 'docs/openapi.json'));
  const projects = ['apps', 'libs', 'tools'].flatMap((parent) =>
    readdirSync(join(folder, parent)).map((name) => join(parent, name)),
  );
  for (const project of ['.', ...projects]) linkPackages(project, folder);
}

/** Caches in `node_modules` belong to each copy, and so do our own packages. */
function linkPackages(project: string, folder: string): void {
  const [from, to] = [join(repositoryRoot, project, 'node_modules'), join(folder, project, 'node_modules')];
  if (!existsSync(from)) return;
  mkdirSync(join(to, '@pets'), { recursive: true });
  for (const name of readdirSync(from)) {
    const isOwn = name === '@pets' || name.startsWith('.pets') || name.startsWith('.vite') || name === '.cache';
    if (!isOwn) symlinkSync(join(from, name), join(to, name));
  }
  if (project !== '.') return;
  for (const parent of ['apps', 'libs', 'tools']) {
    for (const name of readdirSync(join(folder, parent))) {
      const target = join(folder, parent, name);
      if (existsSync(join(target, 'package.json'))) symlinkSync(target, join(to, '@pets', name));
    }
  }
}
