import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** The time that generators take for now, and the time of each file in an archive. */
const EPOCH_S = 1_767_225_600;
const INSTALL_LIMIT_MS = 10 * 60_000;
const BUILD_LIMIT_MS = 5 * 60_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * Builds a site in a folder of its own outside of the repository.
 * @param {import('./generators/index.mjs').Generator} generator
 * @param {{ withPreview?: boolean }} [options]
 */
export function buildSite(generator, { withPreview = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'pets-site-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    for (const [path, content] of Object.entries(generator.files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    const { packages, previewPackages } = generator;
    if (packages !== undefined) installPackages(folder, { ...packages, ...(withPreview && previewPackages) });
    runIn(folder, generator.command, BUILD_LIMIT_MS);
    const output = join(folder, generator.output);
    for (const [copy, of] of Object.entries(generator.copies ?? {})) copyFileSync(join(output, of), join(output, copy));
    return { folder, output, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function installPackages(folder, dependencies) {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  const command = [
    'npm',
    'install',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--prefer-offline',
  ];
  runIn(folder, command, INSTALL_LIMIT_MS);
}

/** @returns the number in what the generator prints as its version */
export function printedVersion({ version }, folder) {
  const words = runIn(folder, version, BUILD_LIMIT_MS).split(/[^\d.]/);
  return words.find((word) => /^\d+\.\d+\.\d+$/.test(word)) ?? 'unknown';
}

/** Packs a folder with sorted names, one time and no owner. @returns the archive */
export function packSite(folder, archive) {
  const fixed = [
    '--sort=name',
    `--mtime=@${EPOCH_S}`,
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mode=u=rwX,go=rX',
  ];
  const files = execFileSync('tar', ['-c', '--format=ustar', ...fixed, '-C', folder, '.'], {
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  mkdirSync(dirname(archive), { recursive: true });
  writeFileSync(archive, gzipSync(files, { level: 9 }));
  return archive;
}

/** Shows a site by the generator's own preview, until this process gets a signal. */
export async function previewSite({ preview }, folder, port) {
  const [program, ...args] = preview(port);
  const child = spawn(program, args, { cwd: folder, env: generatorEnvironment(folder), stdio: ['ignore', 2, 2] });
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => child.kill());
  await once(child, 'exit');
}

/** Environment of a generator: its own packages first, no colours, no telemetry, a fixed time. */
function generatorEnvironment(folder) {
  const { FORCE_COLOR: _, NODE_OPTIONS: __, ...env } = process.env;
  return {
    ...env,
    PATH: [join(folder, 'node_modules/.bin'), env.PATH].join(delimiter),
    LC_ALL: 'C.UTF-8',
    SOURCE_DATE_EPOCH: `${EPOCH_S}`,
    NO_COLOR: '1',
    CI: '1',
    NODE_ENV: 'production',
    NEXT_TELEMETRY_DISABLED: '1',
  };
}

function runIn(folder, [program, ...args], timeout) {
  try {
    return execFileSync(program, args, {
      cwd: folder,
      env: generatorEnvironment(folder),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: MAX_OUTPUT_BYTES,
      timeout,
    });
  } catch (error) {
    throw new Error(`${[program, ...args].join(' ')} failed: ${error.stdout ?? ''}${error.stderr ?? error.message}`);
  }
}
