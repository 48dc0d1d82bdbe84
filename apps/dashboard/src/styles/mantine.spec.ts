import { existsSync, readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it } from '@jest/globals';

const sources = join(import.meta.dirname, '..');
const mantine = join(dirname(createRequire(import.meta.url).resolve('@mantine/core/styles.css')), 'styles');

it('every Mantine component in use has its style sheet, and no other is loaded', async () => {
  const used = new Set<string>();
  for await (const name of glob('**/*.tsx', { cwd: sources })) {
    const imports = readFileSync(join(sources, name), 'utf8').matchAll(/import \{([^}]+)\} from '@mantine\/core'/g);
    for (const [, names = ''] of imports) for (const each of names.split(',')) used.add(each.trim());
  }
  const styles = readFileSync(join(import.meta.dirname, 'mantine.ts'), 'utf8');
  const loaded = [...styles.matchAll(/styles\/([A-Z]\w+)\.css/g)].map(([, name = '']) => name);
  const needed = [...used].filter((name) => existsSync(join(mantine, `${name}.css`)));
  expect(needed.filter((name) => !loaded.includes(name))).toEqual([]);
  expect(loaded.filter((name) => !used.has(name) && !parts.has(name))).toEqual([]);
});

/** Parts of other components. */
const parts = new Set([
  'UnstyledButton',
  'Popover',
  'CloseButton',
  'Loader',
  'Overlay',
  'ModalBase',
  'Input',
  'InlineInput',
  'Paper',
]);
