import { EventStreamRefused, readWebhookEvents, type WebhookEventsOptions } from '@pets/client';
import { webhookEventTypes, type WebhookEventType } from '@pets/contracts';
import { Option, type Command as Program } from 'commander';
import { statusOfError } from '../api/api.js';
import type { Command, CommandContext, Runner } from '../command.js';
import { report, type Report } from '../outcome/outcome.js';
import { Forwarder, parseForwardUrl, type Answer, type Delivery } from './forwarder.js';

interface ListenOptions {
  readonly event?: readonly WebhookEventType[];
  readonly forwardTo?: string;
  readonly onlyProject?: true;
  readonly printSecret?: true;
}

/** `pets webhooks listen` */
export function addListenCommand(webhooks: Program, runner: Runner): void {
  webhooks
    .command('listen')
    .description('receive events here while you develop, and forward them to a local server')
    .option('--forward-to <url>', 'local server, for example http://localhost:3000/hook', parseForwardUrl)
    .addOption(new Option('--event <type...>', 'events to receive (default: all)').choices(webhookEventTypes))
    .option('--only-project', 'only events about domains of the project')
    .option('--print-secret', 'print the secret that signs the events, and end')
    .action((options: ListenOptions, command: Program) => runner(listen)([options], command.optsWithGlobals()));
}

/**
 * Prints and forwards events until Ctrl-C. The stream is the endpoint: it ends with this process, however that ends.
 * Standard output gets a line for each event, with `--json` as the API sends it.
 */
const listen: Command<[options: ListenOptions]> = async (context, options) => {
  const abort = new AbortController();
  const forwarder = options.forwardTo === undefined ? null : new Forwarder(options.forwardTo);
  let secret: string | null = null;
  try {
    for await (const event of readWebhookEvents(await streamOf(context, options, abort.signal))) {
      if (event.type === 'delivery') {
        context.terminal.line(lineOf(event), event);
        await forwarder?.send(event, (answer) => showAnswer(context, event, answer));
      } else if (options.printSecret === true) {
        return report('done', 'printed', 'This secret signs the events of pets webhooks listen.', {
          result: { secret: event.secret },
          text: event.secret,
        });
      } else {
        showListening(context, event.secret, secret);
        secret = event.secret;
      }
    }
  } catch (error) {
    if (error instanceof EventStreamRefused) return refusalReport(error);
    throw error;
  } finally {
    abort.abort();
  }
  return report('unavailable', 'stream_ended', 'The stream has ended.');
};

async function streamOf(
  { api, findProjectId, terminal }: CommandContext,
  { event, onlyProject }: ListenOptions,
  signal: AbortSignal,
): Promise<WebhookEventsOptions> {
  const { apiUrl: baseUrl, apiKey } = api.access;
  const onRetry = (reason: string) => terminal.progress(`not listening: ${reason}; trying again`);
  return {
    baseUrl,
    apiKey,
    signal,
    onRetry,
    ...(event !== undefined && { eventTypes: event }),
    ...(onlyProject === true && { projectId: await findProjectId() }),
  };
}

/** The secret changes only when the operator changes the keys of the API. */
function showListening({ terminal }: CommandContext, secret: string, previous: string | null): void {
  if (secret === previous) terminal.progress('listening again; events in between were missed');
  else terminal.progress(`listening; the events are signed with ${secret} (Ctrl-C to end)`);
}

function showAnswer({ terminal }: CommandContext, { id, eventType }: Delivery, answer: Answer): void {
  const shown = answer.kind === 'answered' ? `${answer.status} in ${answer.durationMs} ms` : answer.reason;
  const { kind, ...details } = answer;
  terminal.line(`  ${eventType} ${id} → ${shown}`, { type: 'answer', id, kind, ...details });
}

function lineOf({ id, eventType, subjectId }: Delivery): string {
  return `${eventType} ${id} (${subjectId})`;
}

function refusalReport({ status, code, message }: EventStreamRefused): Report {
  const reason = code ?? 'not_a_stream';
  return report(statusOfError(reason, status), reason, message);
}
