import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { Inject, Injectable } from '@nestjs/common';
import {
  bundleLimits,
  fieldErrorText,
  manifestFileSchema,
  parseInput,
  uploadLimits,
  type IgnoredFiles,
  type ManifestFile,
  type NewDeployment,
} from '@pets/contracts';
import { RequestError, type FileStorage } from '@pets/platform';
import { encodeManifest, manifestKey, type ListedFile } from '@pets/sites';
import { DatabaseBudget } from '../../access/limits/database-budget.service.js';
import { requireProgress, uploadProgress } from '../../http/require-progress.js';
import { STORAGE } from '../../platform/providers.js';
import { BundleFiles } from '../deployments/bundle-files.js';
import { readBundleRules } from '../deployments/bundle-rules.js';
import { DeploymentRegistration } from '../deployments/deployment-registration.service.js';
import { detailsOf } from '../deployments/deployments.service.js';
import { invalidBundle } from '../deployments/refused-archives.js';
import { UploadSlots } from '../deployments/upload-slots.js';
import { ProjectsRepository } from '../projects.repository.js';
import type { NewDeploymentUpload } from './deployment-uploads.repository.js';
import { HeldContents, KeptContents } from './kept-contents.service.js';

/** A manifest, as it arrives. */
interface ArrivingManifest {
  readonly organizationId: string;
  readonly projectId: string;
  readonly body: Readable;
  readonly isGzipped: boolean;
  readonly query: NewDeployment;
}

/** An upload before it has an id, and the paths that it lacks. */
interface CheckedUpload extends NewDeploymentUpload {
  readonly lacking: readonly string[];
}

/** Checks and stores manifests, before an upload is created from them. */
@Injectable()
export class UploadOpening {
  constructor(
    @Inject(STORAGE) private readonly storage: FileStorage,
    private readonly projects: ProjectsRepository,
    private readonly budget: DatabaseBudget,
    private readonly slots: UploadSlots,
    private readonly kept: KeptContents,
    private readonly registration: DeploymentRegistration,
  ) {}

  /**
   * Runs outside any transaction. Repeating it changes nothing.
   * @throws RequestError `not_found`, `rate_limited`, `storage_limit_reached`, and those of `readManifestBody`
   */
  async check({ organizationId, projectId, body, isGzipped, query }: ArrivingManifest): Promise<CheckedUpload> {
    await this.projects.get(organizationId, projectId);
    await this.budget.require(organizationId);
    return this.slots.run(organizationId, async () => {
      const { allow: allowed = new Set(), ...given } = query;
      const details = detailsOf(given);
      const manifest = await readManifestBody(body, isGzipped, allowed);
      // What can be known without the contents.
      await readBundleRules(manifest.files, () => Promise.resolve(null));
      const contents = new HeldContents(manifest.files);
      const kept = await this.kept.find(projectId, contents.hashes);
      requireTrueSizes(manifest, kept);
      const held = contents.bitsOf(kept.keys());
      return {
        ...{ organizationId, projectId, held, allowed: [...allowed], ignored: manifest.ignored },
        filesHash: await this.storeManifest(organizationId, manifest),
        details,
        lacking: contents.lackingIn(held).map(({ path }) => path),
      };
    });
  }

  /** Stores it as a bundle without a deployment, which is deleted after a day. */
  private async storeManifest(organizationId: string, { files }: Manifest): Promise<string> {
    const { filesHash, gzipped } = await encodeManifest(files);
    const key = manifestKey(filesHash);
    await this.registration.register(organizationId, `manifest-${filesHash}`, [{ key, bytes: gzipped.length }]);
    await this.storage.write(key, gzipped);
    return filesHash;
  }
}

function requireTrueSizes({ files }: Manifest, kept: ReadonlyMap<string, number>): void {
  for (const { path, sha256, bytes } of files) {
    const known = kept.get(sha256) ?? bytes;
    if (known !== bytes)
      throw invalidBundle(`${path} has ${bytes} bytes in the manifest, and ${known} by its SHA-256.`);
  }
}

/** Files of a deployment, before their contents are there. */
interface Manifest {
  readonly files: readonly ListedFile[];
  readonly ignored: IgnoredFiles;
}

/** In characters: a path in which every one is escaped, and the other fields. */
const MAX_LINE = 4_096;
/** The number for archives, with files that are left out. */
const MAX_LINES = 3 * bundleLimits.files;
/** Lines are read for about a millisecond at a time. */
const LINES_AT_A_TIME = 250;

/**
 * Reads a manifest by the rules for archives.
 * @param allowed paths of files that are published although they would be refused or left out
 * @throws RequestError `invalid_bundle`, `payload_too_large`, `timeout`, `invalid_request` when the client has left
 */
async function readManifestBody(body: Readable, isGzipped: boolean, allowed: ReadonlySet<string>): Promise<Manifest> {
  const text = await readText(body, isGzipped);
  const bundle = new BundleFiles(allowed);
  const files: ListedFile[] = [];
  const sizes = new Map<string, number>();
  let number = 0;
  for (const line of linesOf(text)) {
    number += 1;
    if (number > MAX_LINES) throw invalidBundle(`The manifest has more than ${MAX_LINES} lines.`);
    if (number % LINES_AT_A_TIME === 0) await setImmediate();
    if (line.trim() === '') continue;
    const { path: raw, sha256, bytes } = parseLine(line, number);
    const path = bundle.addFile(raw, bytes);
    if (path === null) continue;
    if ((sizes.get(sha256) ?? bytes) !== bytes)
      throw invalidBundle(`${path} has the SHA-256 of a file with another number of bytes.`);
    sizes.set(sha256, bytes);
    files.push({ path, sha256, bytes });
  }
  await setImmediate();
  const manifest = bundle.finish(files);
  await setImmediate();
  return manifest;
}

async function readText(body: Readable, isGzipped: boolean): Promise<string> {
  const chunks: Buffer[] = [];
  const { manifestBytes } = uploadLimits;
  const receive = (sent: AsyncIterable<Buffer>) => limitBytes(requireProgress(sent, uploadProgress), manifestBytes);
  const collect = async (unpacked: AsyncIterable<Buffer>) => {
    for await (const chunk of limitBytes(unpacked, manifestBytes)) chunks.push(chunk);
  };
  try {
    if (isGzipped) await pipeline(body, receive, createGunzip(), collect);
    else await pipeline(body, receive, collect);
  } catch (error) {
    throw toRequestError(error);
  }
  const bytes = Buffer.concat(chunks);
  if (!isUtf8(bytes)) throw invalidBundle('The manifest is not text in UTF-8.');
  return bytes.toString();
}

async function* limitBytes(chunks: AsyncIterable<Buffer>, limit: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > limit) throw new RequestError('payload_too_large', `The manifest is larger than ${limit} bytes.`);
    yield chunk;
  }
}

function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const next = text.indexOf('\n', start);
    const end = next === -1 ? text.length : next;
    yield text.slice(start, end);
    start = end + 1;
  }
}

function parseLine(line: string, number: number): ManifestFile {
  const refuse = (reason: string) => invalidBundle(`Line ${number} of the manifest ${reason}.`);
  if (line.length > MAX_LINE) throw refuse(`has more than ${MAX_LINE} characters`);
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw refuse('is not valid JSON');
  }
  const parsed = parseInput(manifestFileSchema, value, 'body');
  if (parsed.ok) return parsed.value;
  throw refuse(`is not a file: ${fieldErrorText(parsed.errors[0])}`);
}

function toRequestError(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code.startsWith('Z_')) return invalidBundle('The manifest is not compressed with gzip as a whole.');
  if (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE')
    return new RequestError('invalid_request', 'The connection was closed before the manifest was complete.');
  return error;
}
