import type { ReactNode } from 'react';
import { Inline } from './markdown.js';
import {
  componentName,
  type MediaType,
  type Operation,
  type Parameter,
  type Response,
  type Schema,
} from './openapi.js';
import { languages, samplesOf } from './samples.js';
import { Field, SchemaFields, TypeName } from './schema-view.js';

/** Named schemas. */
type Schemas = Readonly<Record<string, Schema>>;

/** A longer example starts folded. */
const MAX_OPEN_LINES = 24;

export function errorId(code: string): string {
  return `error-${code}`;
}

interface OperationSectionProps {
  readonly operation: Operation;
  readonly schemas: Schemas;
  /** Error responses of every operation, which the page lists once. */
  readonly commonErrors: ReadonlySet<string>;
}

/** One operation: what it does and takes on one side, samples and responses on the other. */
export function OperationSection({ operation, schemas, commonErrors }: OperationSectionProps) {
  const { operationId, summary, method, path, description } = operation;
  return (
    <section className="operation" id={operationId} data-search={summary}>
      <div className="operation-text">
        <h3>
          <a href={`#${operationId}`}>{summary}</a>
        </h3>
        <p className="address">
          <span className={`method method-${method}`}>{method.toUpperCase()}</span> <code>{path}</code>
        </p>
        <Badges operation={operation} />
        <p>
          <Inline text={description} />
        </p>
        <Parameters operation={operation} place="path" title="Path parameters" />
        <Parameters operation={operation} place="query" title="Query parameters" />
        <Parameters operation={operation} place="header" title="Headers" />
        <RequestBody operation={operation} schemas={schemas} />
        <Responses operation={operation} />
        <OperationErrors codes={operation['x-error-codes'].filter((code) => !commonErrors.has(code)).toReversed()} />
      </div>
      <div className="operation-samples">
        <Samples operation={operation} />
        <ExampleResponse operation={operation} />
        <button type="button" className="try scripted-only" data-try={operationId} aria-label={`Try it: ${summary}`}>
          Try it
        </button>
      </div>
    </section>
  );
}

function Badges({ operation }: { readonly operation: Operation }) {
  const { deprecated, 'x-stability': stability, 'x-sunset': sunset } = operation;
  if (deprecated !== true && stability === undefined) return null;
  return (
    <p className="badges">
      {deprecated === true && <span className="badge badge-warning">deprecated, ends on {sunset}</span>}
      {stability !== undefined && <span className="badge">{stability}: may still change</span>}
    </p>
  );
}

interface ParametersProps {
  readonly operation: Operation;
  readonly place: Parameter['in'];
  readonly title: string;
}

function Parameters({ operation, place, title }: ParametersProps) {
  const own = operation.parameters.filter((parameter) => parameter.in === place);
  if (own.length === 0) return null;
  return (
    <Part title={title}>
      <ul className="fields">
        {own.map(({ name, schema, required, description }) => (
          <Field key={name} name={name} schema={schema} isRequired={required === true} description={description} />
        ))}
      </ul>
    </Part>
  );
}

function RequestBody({ operation, schemas }: Pick<OperationSectionProps, 'operation' | 'schemas'>) {
  const { requestBody } = operation;
  if (requestBody === undefined) return null;
  const { description, content } = requestBody;
  return (
    <Part title="Request body">
      {description !== undefined && (
        <p>
          <Inline text={description} />
        </p>
      )}
      {Object.entries(content).map(([type, { schema }]) => (
        <div key={type}>
          <p>
            <code>{type}</code> <TypeName schema={schema} />
          </p>
          <SchemaFields schema={schemas[componentName(schema.$ref ?? '')] ?? schema} />
        </div>
      ))}
    </Part>
  );
}

function Responses({ operation }: { readonly operation: Operation }) {
  return (
    <Part title="Responses">
      <ul className="fields">
        {successesOf(operation).map(([status, { description, content = {} }]) => (
          <li key={status}>
            <p className="field-head">
              <code>{status}</code> <ContentType content={content} />
            </p>
            <p>
              <Inline text={description} />
            </p>
          </li>
        ))}
      </ul>
    </Part>
  );
}

function ContentType({ content }: { readonly content: Readonly<Record<string, MediaType>> }) {
  const json = content['application/json'];
  if (json !== undefined) return <TypeName schema={json.schema} />;
  return <span className="type">{Object.keys(content).join(' or ') || 'no body'}</span>;
}

function OperationErrors({ codes }: { readonly codes: readonly string[] }) {
  return (
    <p className="errors-line">
      Errors:{' '}
      {codes.map((code) => (
        <span key={code}>
          <a href={`#${errorId(code)}`}>
            <code>{code}</code>
          </a>
          {', '}
        </span>
      ))}
      <a href="#error-codes">{codes.length === 0 ? 'those of every operation' : 'and those of every operation'}</a>.
    </p>
  );
}

interface PartProps {
  readonly title: string;
  readonly children: ReactNode;
}

function Part({ title, children }: PartProps) {
  return (
    <>
      <h4>{title}</h4>
      {children}
    </>
  );
}

function Samples({ operation }: { readonly operation: Operation }) {
  const samples = samplesOf(operation);
  return (
    <div className="code samples">
      <div className="code-head scripted-only" role="group" aria-label={`Language of the sample: ${operation.summary}`}>
        {languages.map((language) => (
          <button key={language} type="button" data-language={language} aria-pressed={language === 'curl'}>
            {language}
          </button>
        ))}
      </div>
      {languages.map((language) => (
        <pre key={language} data-sample={language}>
          <code>{samples[language]}</code>
        </pre>
      ))}
    </div>
  );
}

function ExampleResponse({ operation }: { readonly operation: Operation }) {
  const [status, response] = successesOf(operation)[0] ?? [];
  const example = response?.content?.['application/json']?.example;
  if (status === undefined || example === undefined) return null;
  const text = JSON.stringify(example, null, 2);
  return (
    <details className="code" open={text.split('\n').length <= MAX_OPEN_LINES}>
      <summary className="code-head">Response {status}</summary>
      <pre>
        <code>{text}</code>
      </pre>
    </details>
  );
}

function successesOf({ responses }: Operation): readonly (readonly [string, Response])[] {
  return Object.entries(responses).filter(([status]) => status < '400');
}
