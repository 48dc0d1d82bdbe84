import { randomUUID } from 'node:crypto';
import { pause } from '@pets/async';
import { originRequests } from '@pets/client';
import { originFailureTexts, type Domain, type NewOrigin, type Origin } from '@pets/contracts';
import { Option, type Command as Program } from 'commander';
import type { Command, CommandContext, Runner } from '../command.js';
import { readDomain } from '../domains/watch-domain.js';
import { report, type Report } from '../outcome/outcome.js';
import { collect, parseMember, parsePathSegment, parseSeconds, timeoutOption } from '../program/arguments.js';
import { presentFacts, type Facts } from '../terminal/format.js';

/** An edge answers within ten seconds, or never. */
const LOOK_MS = 500;

interface PlaceOptions {
  /** Undefined: the application of the project. */
  readonly domain?: string;
}

interface TestOptions extends PlaceOptions {
  readonly timeout: number;
}

interface SetOptions extends TestOptions {
  readonly hostHeader?: string;
  readonly header?: Readonly<Record<string, string>>;
  readonly metadata?: readonly string[];
  readonly maxConnections?: number;
  readonly connectSeconds?: number;
  readonly answerSeconds?: number;
  readonly idleSeconds?: number;
}

/** `pets origin …` */
export function addOriginCommands(program: Program, runner: Runner): void {
  const origin = program
    .command('origin')
    .description('manage the application that answers for a project, or for one domain of it');
  const domain = () =>
    new Option('--domain <domain>', 'only for this domain, which then has an application of its own').argParser(
      parsePathSegment,
    );
  const limit = () => timeoutOption('how long to wait for an edge to test it', '20s');
  origin
    .command('show')
    .description('show the application and its last test')
    .addOption(domain())
    .action((options: PlaceOptions, command: Program) => runner(showOrigin)([options], command.optsWithGlobals()));
  origin
    .command('set')
    .description('forward the visitors of the project to an application, once an edge gets an answer from it')
    .argument('<url>', 'https://host or https://host:port')
    .addOption(domain())
    .option('--host-header <host>', 'Host of the requests (default: the host of the visitor)')
    .option(
      '--header <name=value>',
      'header for every request, such as a secret (repeatable); replaces all',
      parseMember,
    )
    .option('--metadata <key>', 'key of the metadata of domains to pass on (repeatable)', collect)
    .option('--max-connections <count>', 'connections that each edge may have open', parseSeconds)
    .option('--connect-seconds <seconds>', 'limit until a connection is open', parseSeconds)
    .option('--answer-seconds <seconds>', 'limit until the head of an answer', parseSeconds)
    .option('--idle-seconds <seconds>', 'limit without a byte in either direction', parseSeconds)
    .addOption(limit())
    .action((url: string, options: SetOptions, command: Program) =>
      runner(setOrigin)([url, options], command.optsWithGlobals()),
    );
  origin
    .command('test')
    .description('have an edge ask the application for /')
    .addOption(domain())
    .addOption(limit())
    .action((options: TestOptions, command: Program) => runner(testOrigin)([options], command.optsWithGlobals()));
  origin
    .command('remove')
    .description('serve the deployment of the project again, or at a domain what its project serves')
    .addOption(domain())
    .action((options: PlaceOptions, command: Program) => runner(removeOrigin)([options], command.optsWithGlobals()));
}

const showOrigin: Command<[options: PlaceOptions]> = async (context, options) => {
  const place = await openPlace(context, options);
  const domain = await place.readDomain();
  if (domain?.originId === null) {
    const served = domain.channel === null ? 'what its project serves' : `the channel ${domain.channel}`;
    return report('refused', 'not_found', `${place.name} has no application of its own: it serves ${served}.`);
  }
  const origin = await place.read();
  return report('done', 'shown', `The application of ${place.name} is ${origin.url}.`, {
    result: origin,
    text: presentOrigin(origin, context.terminal.width),
  });
};

const setOrigin: Command<[url: string, options: SetOptions]> = async (
  context,
  url,
  { hostHeader, header, metadata, maxConnections, connectSeconds, answerSeconds, idleSeconds, ...options },
) => {
  const place = await openPlace(context, options);
  const timeouts = {
    ...(connectSeconds !== undefined && { connect: connectSeconds }),
    ...(answerSeconds !== undefined && { answer: answerSeconds }),
    ...(idleSeconds !== undefined && { idle: idleSeconds }),
  };
  const body = {
    url,
    ...(hostHeader !== undefined && { hostHeader }),
    ...(header !== undefined && { headers: header }),
    ...(metadata !== undefined && { metadata: [...metadata] }),
    ...(maxConnections !== undefined && { maxConnections }),
    ...(Object.keys(timeouts).length > 0 && { timeouts }),
  } satisfies Partial<Record<keyof NewOrigin, unknown>>;
  await context.api.data(place.requests.put(body));
  return reportTest(place, options.timeout, context.terminal.width);
};

const testOrigin: Command<[options: TestOptions]> = async (context, options) => {
  const place = await openPlace(context, options);
  await context.api.data(place.requests.test(randomUUID()));
  return reportTest(place, options.timeout, context.terminal.width);
};

const removeOrigin: Command<[options: PlaceOptions]> = async (context, options) => {
  const place = await openPlace(context, options);
  await context.api.result(place.requests.remove());
  const done = place.isProject
    ? 'The project serves its deployment again.'
    : `${place.name} has no application of its own.`;
  return report('done', 'removed', done);
};

/** The project or the domain that has an application. */
interface Place {
  readonly isProject: boolean;
  /** For messages. */
  readonly name: string;
  readonly requests: ReturnType<typeof originRequests>;
  read(): Promise<Origin>;
  /** Null for the project. */
  readDomain(): Promise<Domain | null>;
}

async function openPlace({ api, findProjectId }: CommandContext, { domain }: PlaceOptions): Promise<Place> {
  const projectId = await findProjectId();
  const requests = originRequests(api.http, { projectId, domain });
  return {
    isProject: domain === undefined,
    name: domain ?? 'the project',
    requests,
    read: () => api.data(requests.read()),
    readDomain: async () => (domain === undefined ? null : readDomain(api, { projectId, domain })),
  };
}

/** Waits for the result of a test. */
async function reportTest(place: Place, timeoutMs: number, width: number | null): Promise<Report> {
  const endsAt = performance.now() + timeoutMs;
  let origin = await place.read();
  while (origin.test.finishedAt === null && performance.now() < endsAt) {
    await pause(LOOK_MS);
    origin = await place.read();
  }
  const details = { result: origin, text: presentOrigin(origin, width) };
  const { passed } = origin.test;
  if (passed === null) {
    const look = `pets origin show${place.isProject ? '' : ` --domain ${place.name}`}`;
    return report('not_yet', 'testing', `No edge has tested the application yet. Look again: ${look}`, details);
  }
  if (!passed) return report('refused', 'test_failed', `The test failed: ${describeTest(origin)}.`, details);
  return report('done', origin.state, `Visitors of ${place.name} get ${origin.url}.`, details);
}

function describeTest({ test: { finishedAt, status, failure } }: Origin): string {
  if (finishedAt === null) return 'no edge has answered yet';
  if (failure !== null) return `${originFailureTexts[failure.code]} (${failure.detail})`;
  return `status ${status ?? 0}`;
}

function describeHealth({ health }: Origin): string {
  if (health === null) return 'unknown until it serves';
  const { state, since, failure } = health;
  const reason = failure === null ? '' : `: ${originFailureTexts[failure.code]} (${failure.detail})`;
  return `${state} since ${since}${reason}`;
}

function presentOrigin(origin: Origin, width: number | null): string {
  const { url, hostHeader, headers, metadata, maxConnections, timeouts, state, test } = origin;
  const facts: Facts = [
    ['URL', url],
    ['state', state],
    ['health', describeHealth(origin)],
    ['last test', describeTest(origin)],
    ...(test.address === null ? [] : [['address', test.address] as const]),
    ['Host', hostHeader ?? 'that of the visitor'],
    ['headers', headers.length === 0 ? 'none' : headers.join(', ')],
    ['metadata', metadata.length === 0 ? 'none' : metadata.join(', ')],
    ['limits', `connect ${timeouts.connect} s, answer ${timeouts.answer} s, idle ${timeouts.idle} s`],
    ['connections', `${maxConnections} for each edge`],
  ];
  return presentFacts(facts, width);
}
