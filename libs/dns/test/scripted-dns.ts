import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import packets, { type Answer, type Packet } from 'dns-packet';

export interface ScriptedQuery {
  readonly id: number;
  readonly name: string;
  readonly type: string;
  readonly transport: 'udp' | 'tcp';
  readonly isRecursive: boolean;
  /** Whether the query disables checking (CD). */
  readonly isUnchecked: boolean;
  readonly hasExtension: boolean;
  readonly port: number;
}

/** The reply: fields, raw bytes, or null for none. */
export type ScriptedReply = (Packet & { readonly rcode?: number; readonly isAuthoritative?: boolean }) | Buffer | null;

/** A real name server, over UDP and TCP, that gives scripted answers and records its queries. */
export interface ScriptedDns {
  readonly port: number;
  readonly address: string;
  readonly queries: readonly ScriptedQuery[];
  /** A promise holds the reply back. */
  answer: (query: ScriptedQuery) => ScriptedReply | Promise<ScriptedReply>;
  close(): Promise<void>;
}

export async function startScriptedDns(answer: ScriptedDns['answer'] = () => ({})): Promise<ScriptedDns> {
  const queries: ScriptedQuery[] = [];
  const reply = async (bytes: Buffer, transport: ScriptedQuery['transport'], port: number): Promise<Buffer | null> => {
    const query = packets.decode(bytes);
    const [question] = query.questions ?? [];
    if (question === undefined) return null;
    const scripted: ScriptedQuery = {
      id: query.id ?? 0,
      name: question.name,
      type: question.type,
      transport,
      isRecursive: query.flag_rd,
      isUnchecked: query.flag_cd,
      hasExtension: (query.additionals ?? []).some(({ type }) => type === 'OPT'),
      port,
    };
    queries.push(scripted);
    const sent = await server.answer(scripted);
    return sent === null || Buffer.isBuffer(sent) ? sent : encodeReply(query, sent);
  };

  const tcp = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      void reply(chunk.subarray(2), 'tcp', socket.remotePort ?? 0).then((bytes) => {
        if (bytes === null) return;
        const length = Buffer.alloc(2);
        length.writeUInt16BE(bytes.length);
        socket.write(Buffer.concat([length, bytes]));
      });
    });
  });
  const udp = await listenOnOnePort(tcp);
  udp.on('message', (bytes, { port, address }) => {
    void reply(bytes, 'udp', port).then((sent) => sent !== null && udp.send(sent, port, address));
  });
  const { port } = udp.address();
  const server: ScriptedDns = {
    port,
    address: `127.0.0.1:${port}`,
    queries,
    answer,
    close: async () => {
      await Promise.all([
        new Promise<void>((resolve) => udp.close(() => resolve())),
        new Promise<void>((resolve) => tcp.close(() => resolve())),
      ]);
    },
  };
  return server;
}

/** A port that is free for UDP may be in use for TCP; then the next one is tried. */
async function listenOnOnePort(tcp: Server): Promise<Socket> {
  for (;;) {
    const udp = createSocket('udp4');
    udp.bind(0, '127.0.0.1');
    await once(udp, 'listening');
    try {
      tcp.listen(udp.address().port, '127.0.0.1');
      await once(tcp, 'listening');
      return udp;
    } catch (error) {
      udp.close();
      // Node's errors are of another realm than Jest's `Error`.
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
}

export function encodeReply(
  query: Pick<Packet, 'id' | 'questions'>,
  { rcode = 0, isAuthoritative = true, flags = 0, ...fields }: Exclude<ScriptedReply, Buffer | null>,
): Buffer {
  const authority = isAuthoritative ? packets.AUTHORITATIVE_ANSWER : 0;
  return packets.encode({
    type: 'response',
    id: query.id,
    questions: query.questions,
    ...fields,
    flags: flags | rcode | authority,
  });
}

/** A zone as data: `'CNAME docs.acme.example': ['target.example']`. Other records are absent, with the zone's SOA. */
export function zoneAnswers(zone: string, records: Record<string, readonly string[]>, minimum = 300) {
  return ({ name, type }: ScriptedQuery): ScriptedReply => {
    const values = records[`${type} ${name}`];
    if (values !== undefined) return { answers: values.map((data) => recordOf(name, type, data)) };
    const [alias] = records[`CNAME ${name}`] ?? [];
    const answers = alias === undefined ? [] : [recordOf(name, 'CNAME', alias)];
    return { answers, authorities: alias === undefined ? [soaOf(zone, minimum)] : [] };
  };
}

export function soaOf(zone: string, minimum: number, ttl = 3_600): Answer {
  const data = { mname: `ns1.${zone}`, rname: `admin.${zone}`, serial: 1, refresh: 1, retry: 1, expire: 1, minimum };
  return { name: zone, type: 'SOA', ttl, data };
}

function recordOf(name: string, type: string, data: string): Answer {
  const plain = { name, ttl: 60 };
  switch (type) {
    case 'A':
    case 'AAAA':
    case 'CNAME':
    case 'NS':
      return { ...plain, type, data };
    case 'TXT':
      return { ...plain, type, data: [data] };
    case 'CAA':
      return { ...plain, type, data: { flags: 0, tag: 'issue', value: data } };
    default:
      throw new Error(`no ${type} is scripted`);
  }
}
