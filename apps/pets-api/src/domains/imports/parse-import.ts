/**
 * The lines of an import, as NDJSON or CSV, from a body that arrives in pieces. Whatever is sent, no more than one line is
 * held. Runs in a thread (`import-parser.ts`). A fault of the file refuses all of it; a line without a usable name is refused
 * in the report.
 */
import {
  externalIdSchema,
  importLimits,
  MAX_WRITTEN_NAME,
  metadataSchema,
  type DomainImportAction,
  type DomainImportFormat,
  type Metadata,
} from '@pets/contracts';
import type { z } from 'zod';

/** Request of one line; `fault` says why it cannot be done. */
export interface ImportLine {
  readonly name: string | null;
  readonly fault?: string;
  readonly externalId?: string;
  readonly metadata?: Metadata;
}

export interface ImportFile {
  /** A removal needs names alone. */
  readonly action: DomainImportAction;
  readonly format: DomainImportFormat;
}

/** Labels of a line beside its name. */
interface WrittenLabels {
  readonly externalId?: unknown;
  readonly metadata?: unknown;
}

type WrittenLine = Pick<ImportLine, 'name' | 'fault'> & WrittenLabels;

/** A fault of the file. */
export class ImportFault extends Error {}

/** @throws ImportFault */
export async function* parseImport(
  body: AsyncIterable<Uint8Array>,
  { action, format }: ImportFile,
): AsyncGenerator<ImportLine> {
  const text = decode(body);
  const lines = format === 'csv' ? parseCsvLines(text) : parseNdjson(text);
  let count = 0;
  for await (const line of lines) {
    // Empty ones too: they cost as much to read.
    if (++count > importLimits.lines) throw invalid(`The file has more than ${importLimits.lines} lines.`);
    if (line === null) continue;
    const { name, fault, ...labels } = line;
    yield { name, ...(fault !== undefined ? { fault } : action === 'add' && parseLabels(labels)) };
  }
}

function invalid(message: string): ImportFault {
  return new ImportFault(message);
}

/** UTF-8, and UTF-16 with a byte order mark, as Excel and PowerShell write it. */
async function* decode(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder = new TextDecoder('utf-8', { fatal: true });
  let bytes = 0;
  let start: Uint8Array | null = new Uint8Array();
  const next = (chunk?: Uint8Array): string => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch {
      throw invalid(`The file is not valid ${decoder.encoding.toUpperCase()}.`);
    }
  };
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > importLimits.bytes) throw invalid(`The file has more than ${importLimits.bytes} bytes.`);
    if (start === null) {
      yield next(chunk);
      continue;
    }
    start = Buffer.concat([start, chunk]);
    if (start.length < 2) continue;
    decoder = new TextDecoder(encodingOf(start), { fatal: true });
    yield next(start);
    start = null;
  }
  yield next(start ?? new Uint8Array()) + next();
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

/** Null is an empty line. */
async function* parseNdjson(chunks: AsyncIterable<string>): AsyncGenerator<WrittenLine | null> {
  let rest = '';
  let number = 0;
  for await (const chunk of chunks) {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      requireShort(part, ++number);
      yield part.trim() === '' ? null : parseJsonLine(part);
    }
    requireShort(rest, number + 1);
  }
  if (rest.trim() !== '') yield parseJsonLine(rest);
}

function parseJsonLine(text: string): WrittenLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { name: null, fault: 'The line is not valid JSON.' };
  }
  const { name, externalId, metadata }: { name?: unknown } & WrittenLabels =
    typeof value === 'object' && value !== null ? value : { name: value };
  if (typeof name !== 'string') return { name: null, fault: 'The line is not a string or an object with a name.' };
  return { ...lineOf(name), externalId, metadata };
}

async function* parseCsvLines(chunks: AsyncIterable<string>): AsyncGenerator<WrittenLine | null> {
  let columns: CsvColumns | null = null;
  const { separator, text } = await findSeparator(chunks);
  for await (const fields of parseCsv(text, separator)) {
    if (fields === null) {
      yield null;
      continue;
    }
    if (columns === null) {
      columns = readHeader(fields);
      continue;
    }
    const cellOf = (column: number) => fields[column]?.trim() || undefined;
    const name = cellOf(columns.name);
    const cells = columns.metadata.flatMap(([key, column]) => {
      const value = cellOf(column);
      return value === undefined ? [] : ([[key, value]] as const);
    });
    yield name === undefined
      ? { name: null, fault: 'The line has no name.' }
      : {
          ...lineOf(name),
          externalId: cellOf(columns.externalId),
          metadata: cells.length === 0 ? undefined : Object.fromEntries(cells),
        };
  }
}

interface CsvColumns {
  readonly name: number;
  /** -1 if there is none. */
  readonly externalId: number;
  readonly metadata: readonly (readonly [key: string, column: number])[];
}

const METADATA_COLUMN = 'metadata.';

/** @throws ImportFault */
function readHeader(fields: readonly string[]): CsvColumns {
  const titles = fields.map((field) => field.trim());
  const columnOf = (title: string) => titles.findIndex((each) => each.toLowerCase() === title);
  if (columnOf('name') === -1) throw invalid('The header of the CSV file has no column "name".');
  const metadata = titles.flatMap((title, column) =>
    title.toLowerCase().startsWith(METADATA_COLUMN) ? [[title.slice(METADATA_COLUMN.length), column] as const] : [],
  );
  const keys = metadataSchema.safeParse(Object.fromEntries(metadata.map(([key]) => [key, 'value'])));
  if (!keys.success) throw invalid(`The columns of metadata in the header are not valid: ${reasonOf(keys.error)}.`);
  return { name: columnOf('name'), externalId: columnOf('external_id'), metadata };
}

function parseLabels({ externalId, metadata }: WrittenLabels): Omit<ImportLine, 'name'> {
  const id = externalIdSchema.optional().safeParse(externalId);
  if (!id.success) return { fault: `externalId: ${reasonOf(id.error)}.` };
  const values = metadataSchema.optional().safeParse(metadata);
  if (!values.success) return { fault: `metadata: ${reasonOf(values.error)}.` };
  return {
    ...(id.data !== undefined && { externalId: id.data }),
    ...(values.data !== undefined && { metadata: values.data }),
  };
}

/** The first problem. */
function reasonOf({ issues: [issue] }: z.ZodError): string {
  const path = issue?.path.join('.') ?? '';
  return `${path === '' ? '' : `${path}: `}${issue?.message ?? 'is not valid'}`;
}

function lineOf(name: string): WrittenLine {
  if (name.length > MAX_WRITTEN_NAME)
    return { name: null, fault: `The name is longer than ${MAX_WRITTEN_NAME} characters.` };
  if (!name.isWellFormed() || name.includes('\0')) return { name: null, fault: 'The name is not well-formed text.' };
  return { name };
}

function requireShort(text: string, number: number): void {
  if (text.length > importLimits.lineBytes || Buffer.byteLength(text) > importLimits.lineBytes)
    throw invalid(`Line ${number} has more than ${importLimits.lineBytes} bytes.`);
}

/** In the order in which they are tried. */
const separators = [',', ';', '\t'] as const;

/** A first line in which spreadsheets name the separator, some in quotes. */
const SEPARATOR_LINE = /^("?)sep=(.)\1\r?\n/i;

/**
 * The separator of a CSV file: named in its first line, or the one by which its header has a column for the name. Commas
 * where there is none.
 * @returns the text from the header on
 */
async function findSeparator(
  chunks: AsyncIterable<string>,
): Promise<{ readonly separator: string; readonly text: AsyncIterable<string> }> {
  const rest = chunks[Symbol.asyncIterator]();
  let start = '';
  for (
    let isEnded = false;
    !isEnded && !withoutEmptyLines(start).includes('\n') && start.length <= importLimits.lineBytes;
  ) {
    const next = await rest.next();
    isEnded = next.done === true;
    if (next.done !== true) start += next.value;
  }
  const named = SEPARATOR_LINE.exec(start);
  // Its end stays, as an empty line: lines keep their numbers.
  if (named !== null) start = start.slice(named[0].length - 1);
  const [header = ''] = withoutEmptyLines(start).split('\n', 1);
  const separator = named?.[2] ?? separators.find((each) => namesIn(header, each)) ?? ',';
  async function* text(): AsyncGenerator<string> {
    yield start;
    yield* { [Symbol.asyncIterator]: () => rest };
  }
  return { separator, text: text() };
}

function withoutEmptyLines(text: string): string {
  return text.replace(/^[\r\n]+/, '');
}

function namesIn(header: string, separator: string): boolean {
  return header.split(separator).some((title) => title.replaceAll('"', '').trim().toLowerCase() === 'name');
}

type CsvState = 'start' | 'plain' | 'quoted' | 'closed';

/**
 * The records of a CSV text (RFC 4180); null for an empty line. Lines may also end with LF alone.
 * @throws ImportFault
 */
async function* parseCsv(chunks: AsyncIterable<string>, separator: string): AsyncGenerator<string[] | null> {
  let state: CsvState = 'start';
  let fields: string[] = [];
  let field = '';
  let size = 0;
  let number = 1;
  const endField = () => {
    fields.push(field);
    field = '';
    state = 'start';
  };
  const endRecord = (): string[] | null => {
    const isEmpty = fields.length === 0 && field === '' && state !== 'closed';
    endField();
    const record = fields;
    fields = [];
    size = 0;
    number++;
    return isEmpty ? null : record;
  };
  for await (const chunk of chunks) {
    for (const char of chunk) {
      size += Buffer.byteLength(char);
      if (size > importLimits.lineBytes) throw invalid(`Line ${number} has more than ${importLimits.lineBytes} bytes.`);
      if (state === 'quoted') {
        if (char === '"') state = 'closed';
        else field += char;
      } else if (char === '"' && state !== 'plain') {
        // A quote that is doubled stands for itself.
        if (state === 'closed') field += char;
        state = 'quoted';
      } else if (char === separator) endField();
      else if (char === '\n') {
        yield endRecord();
      } else if (char !== '\r') {
        if (char === '"' || state === 'closed') throw invalid(`Line ${number} has a quote that is not doubled.`);
        field += char;
        state = 'plain';
      }
    }
  }
  if (state === 'quoted') throw invalid(`Line ${number} has a quote that is not closed.`);
  const last = endRecord();
  if (last !== null) yield last;
}
