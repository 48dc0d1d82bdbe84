/**
 * During an upgrade, processes of two versions exchange messages. `released-payloads/` has samples of each released version,
 * one file each, which never change: every later version must parse all of them, and must ignore unknown fields. The rule
 * begins with 1.0: until the tag v1.0.0, `1.0.0.json` is rewritten in place.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import {
  domainEvents,
  domainJobs,
  edgeSessionAckSchema,
  edgeSessionMessageSchema,
  edgeSnapshotManifestSchema,
  sealedCertificateSchema,
  webhookJobs,
} from '../src/index.js';

type Payloads = Readonly<Record<string, readonly object[]>>;

const FOLDER = join(import.meta.dirname, 'released-payloads');

const schemasOf = <T extends Record<string, { schema: z.ZodType }>>(jobs: T): Record<string, z.ZodType> =>
  Object.fromEntries(Object.entries(jobs).map(([name, { schema }]) => [name, schema]));

/** All messages between processes. */
const wires: Readonly<Record<string, Readonly<Record<string, z.ZodType>>>> = {
  domainJobs: schemasOf(domainJobs),
  webhookJobs: schemasOf(webhookJobs),
  domainEvents,
  edge: {
    session: edgeSessionMessageSchema,
    ack: edgeSessionAckSchema,
    manifest: edgeSnapshotManifestSchema,
    certificate: sealedCertificateSchema,
  },
};

/** Objects whose members are not fields, so that none may be added. */
const maps = new Set(['headers', 'requestHeaders', 'responseHeaders']);

const releases = readdirSync(FOLDER).map((file) => ({
  version: file.replace(/\.json$/, ''),
  // The files are ours, and each payload is parsed below.
  payloads: JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Readonly<Record<string, Payloads>>,
}));
const samples = releases.flatMap(({ version, payloads }) =>
  Object.entries(payloads).flatMap(([wire, byName]) =>
    Object.entries(byName).flatMap(([name, several]) =>
      several.map((payload, index) => ({ title: `${version} ${wire} ${name} (${index + 1})`, wire, name, payload })),
    ),
  ),
);

function schemaOf(wire: string, name: string): z.ZodType {
  const schema = wires[wire]?.[name];
  if (schema === undefined) throw new Error(`${wire} no longer has ${name}, which a released version writes`);
  return schema;
}

/** A payload of a later version: more fields in every object. */
function withMore(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => withMore(item));
  if (value === null || typeof value !== 'object' || maps.has(key)) return value;
  const members = Object.entries(value).map(([name, member]) => [name, withMore(member, name)]);
  return { ...Object.fromEntries(members), addedLater: { by: 'another version' } };
}

describe('payloads of released versions', () => {
  it('cover every job, event and message of this version', () => {
    const kept = new Set(samples.map(({ wire, name }) => `${wire} ${name}`));
    const written = Object.entries(wires).flatMap(([wire, schemas]) =>
      Object.keys(schemas).map((name) => `${wire} ${name}`),
    );
    expect(written.filter((name) => !kept.has(name))).toEqual([]);
  });

  it.each(samples)('is parsed without losing a field: $title', ({ wire, name, payload }) => {
    expect(schemaOf(wire, name).parse(payload)).toMatchObject(payload);
  });

  it.each(samples)('may have more fields in a later version: $title', ({ wire, name, payload }) => {
    const more = withMore(payload);
    expect(more).not.toEqual(payload);
    const schema = schemaOf(wire, name);
    expect(schema.parse(more)).toEqual(schema.parse(payload));
  });
});
