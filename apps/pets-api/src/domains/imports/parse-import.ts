/**
 * The lines of an import, as NDJSON or CSV, from a body that arrives in pieces. Whatever is sent, no more than one line is
 * held. A fault of the file refuses all of it; a line without a usable name is refused in the report.
 */
import { importLimits, MAX_WRITTEN_NAME, type DomainImportFormat } from '@pets/contracts';
import { RequestError } from '@pets/platform';

/** What a line asks for; `fault` says why it has no usable name. */
export interface ImportLine {
  readonly name: string | null;
  readonly fault?: string;
}

/** @throws RequestError `invalid_import` */
export async function* parseImport(
  body: AsyncIterable<Uint8Array>,
  format: DomainImportFormat,
): AsyncGenerator<ImportLine> {
  const text = decode(body);
  const lines = format === 'csv' ? parseCsvNames(text) : parseNdjson(text);
  let count = 0;
  for await (const line of lines) {
    if (++count > importLimits.lines) throw invalid(`The file has more than ${importLimits.lines} lines.`);
    yield line;
  }
}

export function invalid(message: string): RequestError {
  // The rest of the file is not read.
  return new RequestError('invalid_import', message, { connection: 'close' });
}

async function* decode(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let bytes = 0;
  const next = (chunk?: Uint8Array): string => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch {
      throw invalid('The file is not valid UTF-8.');
    }
  };
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > importLimits.bytes) throw invalid(`The file has more than ${importLimits.bytes} bytes.`);
    yield next(chunk);
  }
  yield next();
}

async function* parseNdjson(chunks: AsyncIterable<string>): AsyncGenerator<ImportLine> {
  let rest = '';
  let number = 0;
  for await (const chunk of chunks) {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      requireShort(part, ++number);
      if (part.trim() !== '') yield parseJsonLine(part);
    }
    requireShort(rest, number + 1);
  }
  if (rest.trim() !== '') yield parseJsonLine(rest);
}

function parseJsonLine(text: string): ImportLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { name: null, fault: 'The line is not valid JSON.' };
  }
  const name = typeof value === 'object' && value !== null && 'name' in value ? value.name : value;
  if (typeof name !== 'string') return { name: null, fault: 'The line is not a string or an object with a name.' };
  return lineOf(name);
}

async function* parseCsvNames(chunks: AsyncIterable<string>): AsyncGenerator<ImportLine> {
  let column: number | null = null;
  for await (const fields of parseCsv(chunks)) {
    if (column === null) {
      column = fields.findIndex((field) => field.trim().toLowerCase() === 'name');
      if (column === -1) throw invalid('The header of the CSV file has no column "name".');
      continue;
    }
    const name = fields[column];
    yield name === undefined || name.trim() === ''
      ? { name: null, fault: 'The line has no name.' }
      : lineOf(name.trim());
  }
}

function lineOf(name: string): ImportLine {
  if (name.length > MAX_WRITTEN_NAME)
    return { name: null, fault: `The name is longer than ${MAX_WRITTEN_NAME} characters.` };
  if (!name.isWellFormed() || name.includes('\0')) return { name: null, fault: 'The name is not well-formed text.' };
  return { name };
}

function requireShort(text: string, number: number): void {
  if (text.length > importLimits.lineBytes || Buffer.byteLength(text) > importLimits.lineBytes)
    throw invalid(`Line ${number} has more than ${importLimits.lineBytes} bytes.`);
}

type CsvState = 'start' | 'plain' | 'quoted' | 'closed';

/**
 * The records of a CSV text (RFC 4180), without empty lines. Lines may also end with LF alone.
 * @throws RequestError `invalid_import`
 */
async function* parseCsv(chunks: AsyncIterable<string>): AsyncGenerator<string[]> {
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
      } else if (char === ',') endField();
      else if (char === '\n') {
        const record = endRecord();
        if (record !== null) yield record;
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
