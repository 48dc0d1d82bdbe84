import { formOf, type DnsProvider, type FormField, type ZoneRecord } from '@pets/dns-providers';
import { CopyValue } from '../components/copy.js';
import { zoneStrings } from './zone-strings.js';
import type { ZoneLine } from './zone-lines.js';

interface ZoneListProps {
  readonly label: string;
  readonly lines: readonly ZoneLine[];
  readonly provider: DnsProvider;
  /** When the last cache of the old records expires, in words; null if unknown. */
  readonly until: string | null;
}

/** The records of a zone as a form: in the words and in the order of the provider. */
export function ZoneList({ label, lines, provider, until }: ZoneListProps) {
  return (
    <ul role="list" className="zone" aria-label={label}>
      {lines.map((line) => (
        <Line key={`${line.action} ${keyOf(line.record)}`} line={line} provider={provider} until={until} />
      ))}
    </ul>
  );
}

interface LineProps extends Pick<ZoneListProps, 'provider' | 'until'> {
  readonly line: ZoneLine;
}

/** A record, and below it those that can be created instead. A provider without ALIAS gets only these. */
function Line({ line, provider, until }: LineProps) {
  const { action, record, wrong, alternatives } = line;
  const isImpossible = record.type === 'ALIAS' && provider.apexType === null && action !== 'keep';
  return (
    <>
      {!(isImpossible && alternatives.length > 0) && (
        <li data-action={action}>
          <strong className="zone-action">{zoneStrings.actions[action]}</strong>
          {isImpossible ? (
            <p className="zone-impossible">{zoneStrings.noAlias(provider.label)}</p>
          ) : (
            <Form fields={fieldsOf(line, provider)} record={record} wrong={wrong} isExact={action === 'delete'} />
          )}
          {!isImpossible && <Seen line={line} until={until} />}
        </li>
      )}
      {alternatives.length > 0 && (
        <li className="zone-or">{zoneStrings.alternatives(alternatives.length, isImpossible ? null : record.type)}</li>
      )}
      {alternatives.map((each) => (
        <li key={keyOf(each)} data-action={action} data-alternative="">
          <strong className="zone-action">{isImpossible ? zoneStrings.actions.add : zoneStrings.or}</strong>
          <Form fields={formOf(provider, each)} record={each} isExact />
        </li>
      ))}
    </>
  );
}

/** A record to delete is found by its type, name and value. */
function fieldsOf({ action, record }: ZoneLine, provider: DnsProvider): readonly FormField[] {
  const fields = formOf(provider, record);
  return action === 'delete' ? fields.filter(({ key }) => key !== 'ttl' && key !== 'proxy') : fields;
}

interface FormProps {
  readonly fields: readonly FormField[];
  readonly record: ZoneRecord;
  readonly wrong?: ZoneLine['wrong'];
  /** Whether other lines may have the same type, so that the value is part of the accessible names. */
  readonly isExact: boolean;
}

function Form({ fields, record: { type, value }, wrong = {}, isExact }: FormProps) {
  return (
    <dl>
      {fields.map(({ key, label, value: entry }) => {
        const isCopied = key === 'name' || key === 'value';
        const old = isCopied || key === 'type' ? wrong[key] : undefined;
        return (
          <div key={key} data-field={key}>
            <dt>{label}</dt>
            <dd>
              {old !== undefined && (
                <>
                  <del className="value">{old}</del>
                  <span className="visually-hidden"> {zoneStrings.becomes} </span>
                </>
              )}
              <span className={isCopied ? 'copyable' : undefined}>
                <span className={isCopied ? 'value' : undefined}>{entry === '' ? zoneStrings.empty : entry}</span>
                {isCopied && entry !== '' && (
                  <CopyValue what={`${label} (${isExact ? `${type} ${value}` : type})`} value={entry} />
                )}
              </span>
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

/** Whether name servers show the record. */
function Seen({ line: { action, seen }, until }: Omit<LineProps, 'provider'>) {
  if (action === 'delete') return null;
  if (action === 'keep' && (seen === null || seen.count === 0))
    return (
      <span className="zone-seen" data-found="">
        {zoneStrings.found}
      </span>
    );
  if (seen === null || seen.count === 0) return <span className="zone-seen">{zoneStrings.notFound}</span>;
  if (seen.count >= seen.total)
    return (
      <span className="zone-seen" data-found="">
        {zoneStrings.found}
      </span>
    );
  return <span className="zone-seen">{zoneStrings.foundAt(seen.count, seen.total, until)}</span>;
}

function keyOf({ type, name, value }: ZoneRecord): string {
  return `${type} ${name} ${value}`;
}
