import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setupLogoLimits, type CreatedSetupLink, type SetupLink, type SetupPage } from '@pets/contracts';
import type { Command as Program } from 'commander';
import type { Api } from '../api/api.js';
import type { Command, Runner } from '../command.js';
import { report, usageFailure } from '../outcome/outcome.js';
import { collect, parseCount, parsePathSegment } from '../program/arguments.js';
import { pluralize, presentFacts, printable, shellWord } from '../terminal/format.js';
import { table } from '../terminal/table.js';

const PATH = '/v1/projects/{projectId}/domains/{domain}/setup-links';
const DAY_SECONDS = 24 * 60 * 60;
const DEFAULT_DAYS = 7;

interface LinkOptions {
  readonly days: number;
  readonly returnUrl?: string;
}

/** Prints only the link to standard output. The API does not return it again. */
const createLink: Command<[name: string, options: LinkOptions]> = async (
  { api, findProjectId },
  name,
  { days, returnUrl },
) => {
  const path = { projectId: await findProjectId(), domain: name };
  const params = { path, header: { 'Idempotency-Key': randomUUID() } };
  const body = { expiresIn: days * DAY_SECONDS, ...(returnUrl !== undefined && { returnUrl }) };
  const created: CreatedSetupLink = await api.data(api.http.POST(PATH, { params, body }));
  const end = `pets domains setup-link end ${shellWord(name)} ${created.id}`;
  const message = `Send this link to whoever has access to the DNS of ${name}. It ends after ${pluralize(days, 'day')}.`;
  return report('done', 'created', message, {
    result: created,
    next: [{ command: end, when: 'if the link went to the wrong person' }],
    text: created.url,
  });
};

const listLinks: Command<[name: string]> = async ({ api, findProjectId, terminal }, name) => {
  const path = { projectId: await findProjectId(), domain: name };
  const links: readonly SetupLink[] = await api.data(api.http.GET(PATH, { params: { path } }));
  const rows = links.map(({ id, createdAt, expiresAt, returnUrl }) => [
    id,
    terminal.time(createdAt),
    terminal.time(expiresAt),
    returnUrl === null ? '' : printable(returnUrl),
  ]);
  const text = table(['ID', 'CREATED', 'ENDS', 'LEADS BACK TO'], rows, terminal.width);
  return report('done', 'listed', `${pluralize(links.length, 'set-up link')}.`, { result: links, text });
};

const endLink: Command<[name: string, id: string]> = async ({ api, findProjectId }, name, setupLinkId) => {
  const path = { projectId: await findProjectId(), domain: name, setupLinkId };
  await api.result(api.http.DELETE(`${PATH}/{setupLinkId}`, { params: { path } }));
  return report('done', 'ended', `Ended ${setupLinkId}. Its page no longer works.`);
};

/** `pets domains setup-link …` */
export function addSetupLinkCommands(domains: Program, runner: Runner, nameHelp: string): void {
  const link = domains.command('setup-link').description('let the owner of a domain set it up, without an account');
  link
    .command('create')
    .description('create a link to a page with the records, which checks them')
    .argument('<name>', nameHelp, parsePathSegment)
    .option('--days <number>', 'days until the link ends, at most 30', parseCount, DEFAULT_DAYS)
    .option('--return-url <url>', 'page of yours that the link leads back to; its origin has to be listed')
    .action((name: string, options: LinkOptions, command: Program) =>
      runner(createLink)([name, options], command.optsWithGlobals()),
    );
  link
    .command('list')
    .description('list the links of a domain that have not ended')
    .argument('<name>', nameHelp, parsePathSegment)
    .action((name: string, _options: object, command: Program) => runner(listLinks)([name], command.optsWithGlobals()));
  link
    .command('end')
    .description('end a link, and the pages where it is open')
    .argument('<name>', nameHelp, parsePathSegment)
    .argument('<id>', 'ID of the link', parsePathSegment)
    .action((name: string, id: string, _options: object, command: Program) =>
      runner(endLink)([name, id], command.optsWithGlobals()),
    );
}

const PAGE_PATH = '/v1/setup-page';
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
  // Before anything is changed.
  const logo = options.logo === undefined || options.logo === '' ? null : await readImage(options.logo);
  const before = await readPage(api);
  const body = {
    name: changed(options.name, before.name),
    color: changed(options.color, before.color),
    supportAddress: changed(options.support, before.supportAddress),
    returnOrigins: (options.returnOrigin ?? before.returnOrigins).filter((origin) => origin !== ''),
  };
  if (logo !== null) await putLogo(api, logo);
  if (options.logo === '') await api.data(api.http.DELETE(LOGO_PATH, {}));
  const page: SetupPage = await api.data(api.http.PUT(PAGE_PATH, { body }));
  return report('done', 'changed', 'Changed the pages of all set-up links.', {
    result: page,
    text: presentPage(page, terminal.width),
  });
};

/** @throws CommandFailure for a file that cannot be read or is too large */
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
  return api.data(api.http.GET(PAGE_PATH, {}));
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
