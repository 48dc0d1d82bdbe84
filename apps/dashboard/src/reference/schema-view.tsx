import type { ReactNode } from 'react';
import { Inline } from './markdown.js';
import { componentName, type Schema } from './openapi.js';

export function schemaId(name: string): string {
  return `schema-${name}`;
}

/** The fields of an object, or what else the schema describes. Named schemas are links to their own section. */
export function SchemaFields({ schema }: { readonly schema: Schema }) {
  const { properties, required = [] } = schema;
  if (properties === undefined) return <SchemaFacts schema={schema} />;
  return (
    <ul className="fields">
      {Object.entries(properties).map(([name, field]) => (
        <Field key={name} name={name} schema={field} isRequired={required.includes(name)} />
      ))}
    </ul>
  );
}

interface FieldProps {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly description?: string;
}

/** One field or parameter: name, type, whether it is required, meaning, limits, and the fields inside of it. */
export function Field({ name, schema, isRequired, description = schema.description }: FieldProps) {
  const inner = innerObject(schema);
  return (
    <li>
      <p className="field-head">
        <code>{name}</code> <TypeName schema={schema} />
        {isRequired && <span className="required">required</span>}
      </p>
      {description !== undefined && (
        <p>
          <Inline text={description} />
        </p>
      )}
      <SchemaFacts schema={schema} />
      {inner !== null && (
        <details>
          <summary>Fields of {name}</summary>
          <SchemaFields schema={inner} />
        </details>
      )}
    </li>
  );
}

/** The type in words: `string (uuid) or null`, `list of Domain`. */
export function TypeName({ schema }: { readonly schema: Schema }) {
  return <span className="type">{typeOf(schema)}</span>;
}

function typeOf(schema: Schema): ReactNode {
  const { $ref, anyOf, items, type, format, additionalProperties } = schema;
  if ($ref !== undefined) return <a href={`#${schemaId(componentName($ref))}`}>{componentName($ref)}</a>;
  if (anyOf !== undefined) {
    return anyOf.map((each, index) => (
      <span key={index}>
        {index > 0 && ' or '}
        {typeOf(each)}
      </span>
    ));
  }
  if (items !== undefined) return <>list of {typeOf(items)}</>;
  if (typeof additionalProperties === 'object') return <>map of {typeOf(additionalProperties)}</>;
  const names = typeof type === 'string' ? [type] : (type ?? ['any value']);
  return names.join(' or ') + (format === undefined ? '' : ` (${format})`);
}

/** Allowed values and limits. */
function SchemaFacts({ schema }: { readonly schema: Schema }) {
  const values = schema.enum ?? schema.items?.enum;
  const facts = limitsOf(schema);
  if (values === undefined && facts.length === 0) return null;
  return (
    <p className="facts">
      {values !== undefined && (
        <>
          One of{' '}
          {values.map((value, index) => (
            <span key={value}>
              {index > 0 && ', '}
              <code>{value}</code>
            </span>
          ))}
          {'. '}
        </>
      )}
      {facts.join(' ')}
    </p>
  );
}

function limitsOf(schema: Schema): readonly string[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  return [
    range('From', minimum, maximum, ''),
    range('Length from', minLength, maxLength, ''),
    range('From', minItems, maxItems, ' entries'),
    schema.const === undefined ? '' : `Always ${JSON.stringify(schema.const)}.`,
    schema.default === undefined ? '' : `Default: ${JSON.stringify(schema.default)}.`,
  ].filter((fact) => fact !== '');
}

function range(from: string, min: number | undefined, max: number | undefined, unit: string): string {
  if (max === undefined) return min === undefined || min === 0 ? '' : `At least ${min}${unit}.`;
  return min === undefined ? `At most ${max}${unit}.` : `${from} ${min} to ${max}${unit}.`;
}

/** The object without a name in a field, its entries or its alternatives; null where there is none. */
function innerObject(schema: Schema): Schema | null {
  if (schema.properties !== undefined) return schema;
  const candidates = [...(schema.items === undefined ? [] : [schema.items]), ...(schema.anyOf ?? [])];
  for (const candidate of candidates) {
    const found = innerObject(candidate);
    if (found !== null) return found;
  }
  return null;
}
