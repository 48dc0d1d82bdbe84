/**
 * Builds the sites of `built` again, each into a `.tar.gz` that is the same whenever its files are the same.
 *
 *     node tools/generated-sites/build.mjs [--into FOLDER] [GENERATOR…]
 *     node tools/generated-sites/build.mjs --preview PORT [--into FOLDER] GENERATOR
 *
 * With `--preview`, starts the generator's own preview of the site afterwards, until this program is stopped.
 */
import { parseArgs } from 'node:util';
import { resolve } from 'node:path';
import { statSync } from 'node:fs';
import { buildSite, packSite, previewSite, printedVersion } from './build-site.mjs';
import { generators } from './generators/index.mjs';

const options = { into: { type: 'string' }, preview: { type: 'string' } };
const { values, positionals } = parseArgs({ options, allowPositionals: true });
const target = resolve(values.into ?? `${import.meta.dirname}/built`);
for (const name of positionals.length > 0 ? positionals : Object.keys(generators)) {
  const generator = generators[name];
  if (generator === undefined) throw new Error(`no generator ${name}: there are ${Object.keys(generators).join(', ')}`);
  const site = buildSite(generator, { withPreview: values.preview !== undefined });
  try {
    const archive = packSite(site.output, `${target}/${name}.tar.gz`);
    const version = printedVersion(generator, site.folder);
    process.stdout.write(`${name} ${version}, ${Math.ceil(statSync(archive).size / 1000)} KB\n`);
    if (values.preview !== undefined) await previewSite(generator, site.folder, Number(values.preview));
  } finally {
    site.remove();
  }
}
