import { readFile } from 'node:fs/promises';
import { setupLogoLimits, type SetupPage } from '@pets/contracts';
import type { Command as Program } from 'commander';
import type { Api } from '../api/api.js';
import type { Command, Runner } from '../command.js';
import { report, usageFailure } from '../outcome/outcome.js';
import { collect } from '../program/arguments.js';
import { presentFacts, printable } from '../terminal/format.js';

const PATH = '/v1/setup-page';
const LOGO_PATH = '/v1/setup-page/logo';

/** An empty value removes what was there. */
interface PageOptions {
  readonly name?: string;
  readonly color?: string;
  readonly support?: string;
  /** A file. */
  readonly logo?: string;
  readonly returnOrigin?: readonly string[];
}

const showPage: Command<[]> = async ({ api, terminal }) => {
  const page = await readPage(api);
  return report('done', 'shown', 'The pages of all set-up links look like this.', {
    result: page,
    text: presentPage(page, terminal.width),
  });
};

/** Changes what is given, and keeps the rest. */
const setPage: Command<[options: PageOptions]> = async ({ api, terminal }, options) => {
  if (Object.keys(options).length === 0)
    throw usageFailure(
      'nothing_to_change',
      'Nothing to change: pass --name, --color, --support, --logo or --return-origin.',
    );
  const before = await readPage(api);
  // Before anything is changed.
  const logo = options.logo === undefined || options.logo === '' ? null : await readImage(options.logo);
  const body = {
    name: changed(options.name, before.name),
    color: changed(options.color, before.color),
    supportAddress: changed(options.support, before.supportAddress),
    returnOrigins: (options.returnOrigin ?? before.returnOrigins).filter((origin) => origin !== ''),
  };
  if (logo !== null) await putLogo(api, logo);
  if (options.logo === '') await api.data(api.http.DELETE(LOGO_PATH, {}));
  const page: SetupPage = await api.data(api.http.PUT(PATH, { body }));
  return report('done', 'changed', 'Changed the pages of all set-up links.', {
    result: page,
    text: presentPage(page, terminal.width),
  });
};

/** @throws Failure for a file that cannot be read or is too large */
async function readImage(file: string): Promise<Buffer<ArrayBuffer>> {
  const bytes = await readFile(file).catch(() => {
    throw usageFailure('file_unreadable', `Could not read the file ${printable(file)}.`);
  });
  if (bytes.length <= setupLogoLimits.bytes) return bytes;
  throw usageFailure('too_large', `The logo has ${bytes.length} bytes; at most ${setupLogoLimits.bytes} are allowed.`);
}

/** The API looks at the bytes, so that one type stands for both. */
function putLogo(api: Api, bytes: Buffer<ArrayBuffer>): Promise<unknown> {
  return api.data(api.http.PUT(LOGO_PATH, { headers: { 'content-type': 'image/png' }, body: new Blob([bytes]) }));
}

function readPage(api: Api): Promise<SetupPage> {
  return api.data(api.http.GET(PATH, {}));
}

function changed(given: string | undefined, before: string | null): string | null {
  if (given === undefined) return before;
  return given === '' ? null : given;
}

function presentPage({ name, color, supportAddress, logo, returnOrigins }: SetupPage, width: number | null): string {
  return presentFacts(
    [
      ['name', name ?? 'none'],
      ['color', color ?? 'none'],
      ['support', supportAddress ?? 'none'],
      ['logo', logo === null ? 'none' : `${logo.width} × ${logo.height} pixels, ${logo.url}`],
      ['return origins', returnOrigins.length === 0 ? 'none' : returnOrigins.join(', ')],
    ],
    width,
  );
}

/** `pets setup-page …` */
export function addSetupPageCommands(program: Program, runner: Runner): void {
  const page = program.command('setup-page').description('show or change how the pages of set-up links look');
  page
    .command('show')
    .description('show how the pages of set-up links look')
    .action((_options: object, command: Program) => runner(showPage)([], command.optsWithGlobals()));
  page
    .command('set')
    .description('change how the pages of set-up links look; an empty value removes')
    .option('--name <name>', 'your name, as the owners of domains know it')
    .option('--color <color>', 'background of buttons with white text, for example #1a5fb4')
    .option('--support <address>', 'where owners find help: an e-mail address or an https URL')
    .option('--logo <file>', 'PNG or WebP of at most 64 KiB and 1024 × 1024 pixels')
    .option('--return-origin <origin>', 'origin that links may lead back to (repeatable); replaces all', collect)
    .action((options: PageOptions, command: Program) => runner(setPage)([options], command.optsWithGlobals()));
}
