import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { REPOSITORY } from '../repository.js';

/** Licences that ask for nothing but to be named, as SPDX identifiers. */
const allowed: readonly string[] = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Python-2.0',
  'Unlicense',
  'Zlib',
];

/** A package whose licence is another one, and why it may be used all the same. */
interface Exception {
  readonly name: RegExp;
  readonly licence: string | undefined;
  readonly reason: string;
  /** Whether only what helps to develop may have it. */
  readonly isForDevelopment: boolean;
}

/** Each is looked at again when its licence changes: a name alone excuses nothing. */
export const exceptions: readonly Exception[] = [
  {
    name: /^lightningcss(-|$)/,
    licence: 'MPL-2.0',
    reason: 'Vite minifies style sheets with it; it is run unchanged, and nothing of it is in what is built.',
    isForDevelopment: true,
  },
  {
    name: /^axe-core$/,
    licence: 'MPL-2.0',
    reason: 'Judges the dashboard in its tests; it is run unchanged and not handed on.',
    isForDevelopment: true,
  },
  {
    name: /^caniuse-lite$/,
    licence: 'CC-BY-4.0',
    reason: 'A table of browsers that build tools read; not handed on.',
    isForDevelopment: true,
  },
  {
    name: /^humanize-number$/,
    licence: undefined,
    reason: 'MIT by its readme. A fake of S3 writes log lines with it, in tests.',
    isForDevelopment: true,
  },
];

/** @returns what is wrong with using a package, or null */
export function evaluateLicence({ name, version, licence, isDevelopment }: LockedPackage): string | null {
  if (licence !== undefined && isAllowed(licence)) return null;
  const exception = exceptions.find((each) => each.name.test(name) && each.licence === licence);
  if (exception !== undefined && (isDevelopment || !exception.isForDevelopment)) return null;
  return `${name}@${version}: ${licence ?? 'no licence'}`;
}

/** SPDX expressions as far as packages use them: `OR` of `AND`s, in brackets or not. */
function isAllowed(expression: string): boolean {
  return expression
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((identifier) => allowed.includes(identifier)));
}

const lockSchema = z.looseObject({
  packages: z.record(
    z.string(),
    z.looseObject({
      version: z.string().optional(),
      license: z.string().optional(),
      dev: z.boolean().default(false),
      link: z.boolean().default(false),
      hasInstallScript: z.boolean().default(false),
    }),
  ),
});

/** A package that an install brings, on whatever platform. */
interface LockedPackage {
  readonly name: string;
  readonly version: string;
  /** The SPDX expression it gives, where it gives one. */
  readonly licence: string | undefined;
  /** Whether it only helps to develop. */
  readonly isDevelopment: boolean;
  readonly hasInstallScript: boolean;
}

const FOLDER = 'node_modules/';

/** Every package of package-lock.json, without our own. */
export function readLockfile(): readonly LockedPackage[] {
  const { packages } = lockSchema.parse(JSON.parse(readFileSync(join(REPOSITORY, 'package-lock.json'), 'utf8')));
  return Object.entries(packages)
    .filter(([path, { link }]) => path.includes(FOLDER) && !link)
    .map(([path, { version = '', license, dev, hasInstallScript }]) => ({
      name: path.slice(path.lastIndexOf(FOLDER) + FOLDER.length),
      version,
      licence: license ?? licenceOfOldForm(path),
      isDevelopment: dev,
      hasInstallScript,
    }));
}

const oldFormSchema = z.looseObject({ licenses: z.array(z.looseObject({ type: z.string() })) });

/** Packages from before SPDX name theirs in a list, which npm does not take over into the lock file. */
function licenceOfOldForm(path: string): string | undefined {
  const file = join(REPOSITORY, path, 'package.json');
  if (!existsSync(file)) return undefined;
  const parsed = oldFormSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  return parsed.success ? parsed.data.licenses.map(({ type }) => type).join(' OR ') : undefined;
}
