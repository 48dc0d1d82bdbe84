import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { readBody, type Handler } from '../http-server.js';
import { canonicalName, isDnsName, recordTypes, toAnswer } from './record-data.js';
import { failureCodes, type Zone } from './zone.js';

const BODY_LIMIT_BYTES = 65_536;
const DEFAULT_TTL = 60;

const name = z.string().transform(canonicalName).refine(isDnsName, { error: 'is not a domain name' });
const upperCase = z.string().transform((text) => text.trim().toUpperCase());
const recordType = upperCase.pipe(z.enum(recordTypes, { error: `must be one of ${recordTypes.join(', ')}` }));

/** A record, as it is put in and kept. */
export const recordSchema = z.strictObject({
  name,
  type: recordType,
  data: z.string().max(BODY_LIMIT_BYTES),
  ttl: z.int().min(0).max(2_147_483_647).default(DEFAULT_TTL),
});
const failureSchema = z.strictObject({
  name,
  type: upperCase.optional(),
  rcode: upperCase.pipe(z.enum(failureCodes, { error: `must be one of ${failureCodes.join(', ')}` })),
  isZone: z.boolean().optional(),
  isBogus: z.boolean().optional(),
  extendedError: z
    .strictObject({ code: z.int().min(0).max(65_535), text: z.string().max(1_000).optional() })
    .optional(),
});
const selectorSchema = z.object({ name, type: upperCase.optional() });

/** A refused control request; the status is 400 unless the path or the method is at fault. */
class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * The HTTP control of the development DNS server: `/records` and `/failures`, each with PUT, DELETE and GET.
 * Its errors have the shape of the API's.
 * @param save keeps the records; an answer says that a change is kept
 */
export function controlHandler(zone: Zone, save: () => Promise<void>): Handler {
  return async (request, response) => {
    try {
      const { status, body } = await handle(request, zone, save);
      send(response, status, body);
    } catch (error) {
      const { status, code, message } =
        error instanceof Refusal ? error : { status: 500, code: 'internal', message: String(error) };
      send(response, status, { code, message, status });
    }
  };
}

async function handle(
  request: IncomingMessage,
  zone: Zone,
  save: () => Promise<void>,
): Promise<{ status: number; body?: unknown }> {
  const url = new URL(request.url ?? '/', 'http://control');
  const query = Object.fromEntries(url.searchParams);
  switch (`${request.method} ${url.pathname}`) {
    case 'GET /records':
      return { status: 200, body: zone.list() };
    case 'PUT /records': {
      const record = parse(recordSchema, await readJson(request));
      refuseBadData(() => toAnswer(record));
      zone.put(record);
      await save();
      return { status: 200, body: record };
    }
    case 'DELETE /records': {
      const selector = parse(selectorSchema, query);
      zone.remove(selector.name, selector.type);
      await save();
      return { status: 204 };
    }
    case 'GET /failures':
      return { status: 200, body: zone.listFailures() };
    case 'PUT /failures': {
      const failure = parse(failureSchema, await readJson(request));
      zone.putFailure(failure);
      return { status: 200, body: failure };
    }
    case 'DELETE /failures': {
      const selector = parse(selectorSchema, query);
      zone.removeFailure(selector.name, selector.type);
      return { status: 204 };
    }
    default:
      if (!['/records', '/failures'].includes(url.pathname)) {
        throw new Refusal(404, 'not_found', 'only /records and /failures are here');
      }
      throw new Refusal(405, 'method_not_allowed', 'use GET, PUT or DELETE');
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const text = await readBody(request, BODY_LIMIT_BYTES);
  if (text === undefined) throw new Refusal(413, 'payload_too_large', 'the body is longer than 64 KiB');
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, 'malformed_json', 'the body is not JSON');
  }
}

function parse<Schema extends z.ZodType>(schema: Schema, input: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const message = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`).join('; ');
  throw new Refusal(400, 'invalid_request', message);
}

function refuseBadData(read: () => void): void {
  try {
    read();
  } catch (error) {
    throw new Refusal(400, 'invalid_request', `data: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  if (body === undefined) {
    response.writeHead(status).end();
    return;
  }
  response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
}
