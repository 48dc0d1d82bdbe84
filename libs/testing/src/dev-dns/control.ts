import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { z } from 'zod';
import { readBody, type Handler } from '../processes/http-server.js';
import { canonicalName, isDnsName, recordTypes, toAnswer } from './record-data.js';
import { recordsWithin, secondServerStates, type SecondServers } from './second-servers.js';
import { failureCodes, type Zone } from './zone.js';

const BODY_LIMIT_BYTES = 65_536;
const DEFAULT_TTL = 60;
/** More than any platform has. */
const MAX_ADDRESSES = 64;

const name = z.string().transform(canonicalName).refine(isDnsName, { error: 'is not a domain name' });
const upperCase = z.string().transform((text) => text.trim().toUpperCase());
const recordType = upperCase.pipe(z.enum(recordTypes, { error: `must be one of ${recordTypes.join(', ')}` }));

/** A record, as it is put in and kept. */
const recordSchema = z.strictObject({
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

/** Addresses of a name, and how many of them an answer shows. */
const rotationSchema = z.strictObject({
  name,
  addresses: z
    .array(z.string().refine((text) => isIP(text) !== 0, { error: 'is not an IP address' }))
    .min(1)
    .max(MAX_ADDRESSES),
  count: z.int().min(1).default(1),
});

/** State of the second server of a zone. */
const secondServerSchema = z.strictObject({
  zone: name,
  state: z.enum(secondServerStates, { error: `must be one of ${secondServerStates.join(', ')}` }),
});

const selectorSchema = z.object({ name, type: upperCase.optional() });
const zoneSelectorSchema = z.object({ zone: name });

/** The content of the file of records. Versions before kept the records alone, as an array. */
export const fileSchema = z.preprocess(
  (content) => (Array.isArray(content) ? { records: content } : content),
  z.object({
    records: z.array(recordSchema),
    rotations: z.array(rotationSchema).default([]),
    secondServers: z.array(secondServerSchema.extend({ records: z.array(recordSchema).optional() })).default([]),
  }),
);

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

/** State that the control changes. */
type Controlled = {
  readonly zone: Zone;
  /** Null if the server has no port for them. */
  readonly secondServers: SecondServers | null;
  /** Keeps the changes; an answer says that they are kept. */
  readonly save: () => Promise<void>;
};

/**
 * The HTTP control of the development DNS server: `/records`, `/failures`, `/rotations` and `/second-servers`, each with PUT,
 * DELETE and GET. Its errors have the shape of the API's.
 */
export function controlHandler(controlled: Controlled): Handler {
  return async (request, response) => {
    try {
      const { status, body } = await handle(request, controlled);
      send(response, status, body);
    } catch (error) {
      const { status, code, message } =
        error instanceof Refusal ? error : { status: 500, code: 'internal', message: String(error) };
      send(response, status, { code, message, status });
    }
  };
}

type Resource = {
  list(): unknown;
  /** @returns what was put in */
  put(body: unknown): unknown;
  remove(query: Record<string, string>): void;
  readonly isKept: boolean;
};

async function handle(request: IncomingMessage, controlled: Controlled): Promise<{ status: number; body?: unknown }> {
  const url = new URL(request.url ?? '/', 'http://control');
  const resources = resourcesOf(controlled);
  const resource = Object.hasOwn(resources, url.pathname) ? resources[url.pathname] : undefined;
  if (resource === undefined) {
    throw new Refusal(404, 'not_found', `only ${Object.keys(resources).join(', ')} are here`);
  }
  switch (request.method ?? '') {
    case 'GET':
      return { status: 200, body: resource.list() };
    case 'PUT': {
      const body = resource.put(await readJson(request));
      if (resource.isKept) await controlled.save();
      return { status: 200, body };
    }
    case 'DELETE':
      resource.remove(Object.fromEntries(url.searchParams));
      if (resource.isKept) await controlled.save();
      return { status: 204 };
    default:
      throw new Refusal(405, 'method_not_allowed', 'use GET, PUT or DELETE');
  }
}

function resourcesOf({ zone, secondServers }: Controlled): Readonly<Record<string, Resource>> {
  return {
    '/records': {
      list: () => zone.list(),
      put: (body) => {
        const record = parse(recordSchema, body);
        refuseBadData(() => toAnswer(record));
        zone.put(record);
        return record;
      },
      remove: (query) => {
        const { name, type } = parse(selectorSchema, query);
        zone.remove(name, type);
      },
      isKept: true,
    },
    '/failures': {
      list: () => zone.listFailures(),
      put: (body) => {
        const failure = parse(failureSchema, body);
        zone.putFailure(failure);
        return failure;
      },
      remove: (query) => {
        const { name, type } = parse(selectorSchema, query);
        zone.removeFailure(name, type);
      },
      isKept: false,
    },
    '/rotations': {
      list: () => zone.rotations.list(),
      put: (body) => {
        const rotation = parse(rotationSchema, body);
        zone.rotations.put(rotation);
        return rotation;
      },
      remove: (query) => zone.rotations.remove(parse(selectorSchema, query).name),
      isKept: true,
    },
    '/second-servers': {
      list: () => secondServers?.list() ?? [],
      put: (body) => {
        const server = parse(secondServerSchema, body);
        if (secondServers === null) {
          throw new Refusal(409, 'no_second_server', 'this DNS server has no port for a second server');
        }
        const records = server.state === 'stale' ? recordsWithin(zone, server.zone) : undefined;
        secondServers.put({ ...server, records });
        return { ...server, records };
      },
      remove: (query) => secondServers?.remove(parse(zoneSelectorSchema, query).zone),
      isKept: true,
    },
  };
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
