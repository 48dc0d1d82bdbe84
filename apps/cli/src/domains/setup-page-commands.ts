import type { SetupPage } from '@pets/contracts';
import type { Command as Program } from 'commander';
import type { Api } from '../api/api.js';
import type { Command, Runner } from '../command.js';
import { report, usageFailure } from '../outcome/outcome.js';
import { collect } from '../program/arguments.js';
import { presentFacts } from '../terminal/format.js';

const PATH = '/v1/setup-page';

/** An empty value removes what was there. */
interface PageOptions {
  readonly name?: string;
  readonly color?: string;
  readonly support?: string;
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
    throw usageFailure('nothing_to_change', 'Nothing to change: pass --name, --color, --support or --return-origin.');
  const before = await readPage(api);
  const body = {
    name: changed(options.name, before.name),
    color: changed(options.color, before.color),
    supportAddress: changed(options.support, before.supportAddress),
    returnOrigins: (options.returnOrigin ?? before.returnOrigins).filter((origin) => origin !== ''),
  };
  const page: SetupPage = await api.data(api.http.PUT(PATH, { body }));
  return report('done', 'changed', 'Changed the pages of all set-up links.', {
    result: page,
    text: presentPage(page, terminal.width),
  });
};

function readPage(api: Api): Promise<SetupPage> {
  return api.data(api.http.GET(PATH, {}));
}

function changed(given: string | undefined, before: string | null): string | null {
  if (given === undefined) return before;
  return given === '' ? null : given;
}

function presentPage({ name, color, supportAddress, returnOrigins }: SetupPage, width: number | null): string {
  return presentFacts(
    [
      ['name', name ?? 'none'],
      ['color', color ?? 'none'],
      ['support', supportAddress ?? 'none'],
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
    .option('--return-origin <origin>', 'origin that links may lead back to (repeatable); replaces all', collect)
    .action((options: PageOptions, command: Program) => runner(setPage)([options], command.optsWithGlobals()));
}
