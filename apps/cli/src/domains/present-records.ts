import type { ObservedRecord, RequiredRecord } from '@pets/contracts';
import { indentedWidth, paragraphs } from '../terminal/format.js';
import { table } from '../terminal/table.js';
import type { Style } from '../terminal/terminal.js';
import { hang } from '../terminal/wrap.js';

/** The records to create, and below them the addresses that can be created instead of one. For `titled`. */
export function presentRecords(records: readonly RequiredRecord[], style: Style): string {
  return paragraphs([
    presentRequired(records, style),
    ...records.map((each) => presentAlternatives(each, records, style)),
  ]);
}

function presentRequired(records: readonly RequiredRecord[], style: Style): string {
  return table(
    ['TYPE', 'NAME', 'VALUE', 'TTL', 'FOR'],
    records.map(({ type, name, value, ttl, purpose, optional = false }) => [
      type,
      name,
      value,
      String(ttl),
      optional ? `${purpose} (optional)` : purpose,
    ]),
    indentedWidth(style.width),
    'VALUE',
  );
}

/** The addresses do not show whose domain it is, so the TXT record is needed with them as well. */
function presentAlternatives(
  { type, alternatives = [] }: RequiredRecord,
  records: readonly RequiredRecord[],
  style: Style,
): string {
  if (alternatives.length === 0) return '';
  const where = type === 'ALIAS' ? 'At a provider without ALIAS, create' : 'You can also create';
  const which = alternatives.length === 1 ? 'this record' : 'all of these';
  const proof = records.some(({ purpose }) => purpose === 'ownership') ? ', together with the TXT record' : '';
  const rows = alternatives.map((each) => [each.type, each.name, each.value, String(each.ttl)]);
  return [
    hang('', `${where} ${which} instead of the ${type}${proof}:`, indentedWidth(style.width)),
    table(['TYPE', 'NAME', 'VALUE', 'TTL'], rows, indentedWidth(style.width), 'VALUE'),
  ].join('\n');
}

/** A row for each record, with all servers that returned it. For `titled`. */
export function presentObserved(observed: readonly ObservedRecord[], style: Style): string {
  const groups = new Map<string, ObservedRecord[]>();
  for (const each of observed) {
    const key = JSON.stringify([each.type, each.name, each.value]);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  const rows = [...groups.values()].flatMap((same) => same.slice(0, 1).map((first) => rowOf(first, same)));
  return table(['TYPE', 'NAME', 'VALUE', 'TTL', 'SERVER'], rows, indentedWidth(style.width), 'VALUE');
}

function rowOf({ type, name, value, omitted }: ObservedRecord, same: readonly ObservedRecord[]): readonly string[] {
  const ttls = same.flatMap(({ ttl }) => (ttl === null ? [] : [ttl]));
  const [least, most] = [Math.min(...ttls), Math.max(...ttls)];
  return [
    type,
    name,
    omitted === undefined ? value : `${value} … and ${omitted} more`,
    ttls.length === 0 ? '' : least === most ? String(most) : `${least}–${most}`,
    same.map(({ resolver }) => resolver).join(', '),
  ];
}
