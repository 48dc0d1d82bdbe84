import type { DomainImportFormat, DomainImportLine } from '@pets/contracts';

const header = [
  ...['line', 'name', 'result', 'id', 'record_type', 'record_name', 'record_value'],
  ...['error_code', 'error_message', 'external_id'],
];

/** The report of an import, in the format of its file. */
export async function* writeReport(
  results: AsyncIterable<DomainImportLine>,
  format: DomainImportFormat,
): AsyncGenerator<string> {
  if (format === 'csv') yield csvRecord(header);
  for await (const result of results) yield format === 'csv' ? csvRecords(result) : `${JSON.stringify(result)}\n`;
}

/** One for each record to create, at least one. */
function csvRecords({ line, name, result, id, records, error, externalId }: DomainImportLine): string {
  const start = [String(line), name ?? '', result, id ?? ''];
  const end = [error?.code ?? '', error?.message ?? '', externalId ?? ''];
  const shown = records.length === 0 ? [null] : records;
  return shown
    .map((record) => csvRecord([...start, record?.type ?? '', record?.name ?? '', record?.value ?? '', ...end]))
    .join('');
}

function csvRecord(fields: readonly string[]): string {
  return `${fields.map(csvField).join(',')}\r\n`;
}

/** RFC 4180. An apostrophe before what a spreadsheet would take for a formula, since strangers choose names. */
function csvField(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
