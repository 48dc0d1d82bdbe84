import { formOf, typeAt, type DnsProvider, type FormField, type ZoneRecord } from '@pets/dns-providers';
import {
  fieldsOf,
  isImpossible,
  isOneOfSeveral,
  keyOfRecord,
  linesAt,
  setupTexts,
  shownField,
  sightingText,
  type ZoneLine,
} from '@pets/domain-setup';
import { CopyValue } from '../components/copy.js';

const { zone } = setupTexts;

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
      {linesAt(lines, provider).map((line) => (
        <Line key={`${line.action} ${keyOfRecord(line.record)}`} line={line} provider={provider} until={until} />
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
  const cannot = isImpossible(line, provider);
  return (
    <>
      {!(cannot && alternatives.length > 0) && (
        <li data-action={action}>
          <strong className="zone-action">{zone.actions[action]}</strong>
          {cannot ? (
            <p className="zone-impossible">{zone.noAlias(provider.label)}</p>
          ) : (
            <Form fields={fieldsOf(line, provider)} record={record} wrong={wrong} isExact={isOneOfSeveral(line)} />
          )}
          {!cannot && <Seen line={line} until={until} />}
        </li>
      )}
      {alternatives.length > 0 && (
        <li className="zone-or">{zone.alternatives(alternatives.length, cannot ? null : typeAt(provider, record))}</li>
      )}
      {alternatives.map((each) => (
        <li key={keyOfRecord(each)} data-action={action} data-alternative="">
          <strong className="zone-action">{cannot ? zone.actions.add : zone.or}</strong>
          <Form fields={formOf(provider, each)} record={each} isExact />
        </li>
      ))}
    </>
  );
}

interface FormProps {
  readonly fields: readonly FormField[];
  readonly record: ZoneRecord;
  readonly wrong?: ZoneLine['wrong'];
  /** Whether other lines may have the same type, so that the value is part of the accessible names. */
  readonly isExact: boolean;
}

function Form({ fields, record, wrong, isExact }: FormProps) {
  return (
    <dl>
      {fields.map((field) => {
        const { key, label, value } = field;
        const { isCopied, old, what } = shownField(field, record, wrong, isExact);
        return (
          <div key={key} data-field={key}>
            <dt>{label}</dt>
            <dd>
              {old !== undefined && (
                <>
                  <del className="value">{old}</del>
                  <span className="visually-hidden"> {zone.becomes} </span>
                </>
              )}
              <span className={isCopied ? 'copyable' : undefined}>
                <span className={isCopied ? 'value' : undefined}>{value === '' ? zone.empty : value}</span>
                {isCopied && value !== '' && <CopyValue what={what} value={value} />}
              </span>
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

/** Whether name servers show the record. */
function Seen({ line, until }: Omit<LineProps, 'provider'>) {
  const sighting = sightingText(line, until);
  if (sighting === null) return null;
  return (
    <span className="zone-seen" data-found={sighting.isFound ? '' : undefined}>
      {sighting.text}
    </span>
  );
}
