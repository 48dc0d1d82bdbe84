import { Product } from '../shell/product.js';
import { Inline, Markdown, splitSections, type Section } from './markdown.js';
import { listOperations, type OpenApiDocument, type Operation } from './openapi.js';
import { errorId, OperationSection } from './operation-section.js';
import { schemaId, SchemaFields } from './schema-view.js';

/** The complete reference, as static markup: it can be read without scripts, which add search, samples and requests. */
export function ReferencePage({ description }: { readonly description: OpenApiDocument }) {
  const { introduction, sections } = splitSections(description.info.description);
  const operations = listOperations(description);
  return (
    <>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <Header />
      <div className="columns">
        <Navigation description={description} sections={sections} operations={operations} />
        <main id="content" tabIndex={-1}>
          <h1>API reference</h1>
          <Markdown text={introduction} />
          <Guides sections={sections} />
          <Operations description={description} operations={operations} />
          <ErrorCodes description={description} operations={operations} />
          <Schemas description={description} />
        </main>
      </div>
    </>
  );
}

function Header() {
  return (
    <header className="top">
      <a className="home" href="/docs">
        <Product />
      </a>
      <div className="search scripted-only" role="search">
        <label htmlFor="search">Search</label>
        <input id="search" type="search" autoComplete="off" placeholder="Press / to search" />
      </div>
      <a href="/dashboard">Dashboard</a>
      <a href="/openapi.json">OpenAPI</a>
      <button id="theme" type="button" className="scripted-only">
        Dark mode
      </button>
    </header>
  );
}

interface NavigationProps {
  readonly description: OpenApiDocument;
  readonly sections: readonly Section[];
  readonly operations: readonly Operation[];
}

function Navigation({ description, sections, operations }: NavigationProps) {
  return (
    <details className="navigation" open>
      <summary>Contents</summary>
      <section id="results" className="results" aria-label="Search results" hidden>
        <p id="result-count" role="status" />
        <ul id="result-list" />
      </section>
      <nav id="contents" aria-label="Contents">
        <p className="group">Guides</p>
        <ul>
          {sections.map(({ id, title }) => (
            <li key={id}>
              <a href={`#${id}`}>{title}</a>
            </li>
          ))}
        </ul>
        {description['x-tagGroups'].map((group) => (
          <div key={group.name}>
            <p className="group">{group.name}</p>
            <ul>
              {operations
                .filter(({ tags }) => tags.some((tag) => group.tags.includes(tag)))
                .map(({ operationId, summary, method }) => (
                  <li key={operationId}>
                    <a href={`#${operationId}`}>
                      {summary} <span className={`method method-${method}`}>{method}</span>
                    </a>
                  </li>
                ))}
            </ul>
          </div>
        ))}
        <p className="group">Lists</p>
        <ul>
          <li>
            <a href="#error-codes">Error codes</a>
          </li>
          <li>
            <a href="#schemas">Schemas</a>
          </li>
        </ul>
      </nav>
    </details>
  );
}

function Guides({ sections }: { readonly sections: readonly Section[] }) {
  return sections.map(({ id, title, text }) => (
    <section key={id} id={id} className="guide" data-search={title}>
      <h2>{title}</h2>
      <Markdown text={text} />
    </section>
  ));
}

function Operations({ description, operations }: Omit<NavigationProps, 'sections'>) {
  const commonErrors = commonErrorsOf(operations);
  const groups = description['x-tagGroups'].flatMap((group) => group.tags);
  return groups.map((name) => {
    const tag = description.tags.find((each) => each.name === name);
    return (
      <section key={name} id={`tag-${name}`}>
        <h2>{titleOf(name)}</h2>
        <p>
          <Inline text={tag?.description ?? ''} />
        </p>
        {operations
          .filter(({ tags }) => tags.includes(name))
          .map((operation) => (
            <OperationSection
              key={operation.operationId}
              operation={operation}
              schemas={description.components.schemas}
              commonErrors={commonErrors}
            />
          ))}
      </section>
    );
  });
}

/** `domain-imports` as a title: `Domain imports`. */
function titleOf(tag: string): string {
  const words = tag.replaceAll('-', ' ').replace(/^api\b/, 'API');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function commonErrorsOf(operations: readonly Operation[]): ReadonlySet<string> {
  const [first, ...others] = operations.map((operation) => new Set(operation['x-error-codes']));
  return others.reduce((common, codes) => common.intersection(codes), first ?? new Set<string>());
}

/** Every error once; operations link here. */
function ErrorCodes({ description, operations }: Omit<NavigationProps, 'sections'>) {
  const common = commonErrorsOf(operations);
  const errors = Object.entries(description.components.examples).flatMap(([code, { summary, value }]) => {
    const isError = typeof value === 'object' && value !== null && 'message' in value && 'status' in value;
    return isError ? [{ code, meaning: summary, status: Number(value.status), message: String(value.message) }] : [];
  });
  const parts = [
    { title: 'Of every operation', own: errors.filter(({ code }) => common.has(code)) },
    { title: 'Of some operations', own: errors.filter(({ code }) => !common.has(code)) },
  ];
  return (
    <section id="error-codes">
      <h2>Error codes</h2>
      {parts.map(({ title, own }) => (
        <div key={title}>
          <h3>{title}</h3>
          <ul className="fields">
            {own.map(({ code, meaning, status, message }) => (
              <li key={code} id={errorId(code)} data-search={code}>
                <p className="field-head">
                  <code>{code}</code> <span className="type">{status}</span>
                </p>
                <p>
                  <Inline text={meaning} />
                </p>
                <p className="facts">For example: “{message}”</p>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

/** Every named schema once; operations and fields link here. */
function Schemas({ description }: { readonly description: OpenApiDocument }) {
  return (
    <section id="schemas">
      <h2>Schemas</h2>
      {Object.entries(description.components.schemas).map(([name, schema]) => (
        <section key={name} id={schemaId(name)} className="schema" data-search={name}>
          <h3>{name}</h3>
          {schema.description !== undefined && (
            <p>
              <Inline text={schema.description} />
            </p>
          )}
          <SchemaFields schema={schema} />
        </section>
      ))}
    </section>
  );
}
