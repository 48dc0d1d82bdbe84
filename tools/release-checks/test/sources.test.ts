import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { REPOSITORY } from '../src/repository.js';
import { findBoundaryFaults, findFolderFaults } from '../src/sources/feature-modules.js';
import { findCycles, listFiles, listSources, readImports } from '../src/sources/import-graph.js';
import { edgeFolders } from '../src/sources/module-tables.js';
import { findAnchors, findHeadingLinks, findLinks, findNamedPaths, isThere } from '../src/sources/named-paths.js';

const MAX_LINES = 400;
const files = listFiles();
const sources = listSources();
const read = (path: string) => readFileSync(join(REPOSITORY, path), 'utf8');

describe('the sources', () => {
  it(`have no file of more than ${MAX_LINES} lines`, () => {
    const lengths = sources.map((path) => `${path}: ${read(path).trimEnd().split('\n').length}`);
    expect(lengths.filter((line) => Number(line.split(': ')[1]) > MAX_LINES)).toEqual([]);
  });

  it('have no file that imports itself by way of others', () => {
    expect(findCycles(readImports(sources))).toEqual([]);
  });

  it('of pets-api import other modules only where they may, and only what these expose', () => {
    expect(findBoundaryFaults(readImports(sources))).toEqual([]);
  });

  it('of the edge import other folders only where they may', () => {
    expect(findFolderFaults(readImports(sources), edgeFolders, 'apps/edge/src/')).toEqual([]);
  });
});

describe('the pages', () => {
  const pages = files.filter((path) => path.endsWith('.md'));
  const ofTheCode = pages.filter((path) => /^([A-Z]+|docs\/architecture)\.md$/.test(path));

  it.each(ofTheCode)('%s names files that are there', (page) => {
    expect(ofTheCode).toContain('docs/architecture.md');
    expect(findNamedPaths(read(page)).filter((path) => !isThere(path, files))).toEqual([]);
  });

  it.each(pages)('%s links to pages that are there', (page) => {
    const missing = findLinks(read(page)).filter((target) => !existsSync(join(REPOSITORY, dirname(page), target)));
    expect(missing).toEqual([]);
  });

  it.each(pages)('%s links to headings that are there', (page) => {
    const isMissing = ({ target, anchor }: { target: string; anchor: string }) =>
      !findAnchors(read(target === '' ? page : join(dirname(page), target))).includes(anchor);
    expect(findHeadingLinks(read(page)).filter(isMissing)).toEqual([]);
  });
});
