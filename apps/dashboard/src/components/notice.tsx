import type { Project, SuspensionCause, SuspensionScope } from '@pets/contracts';
import { formatInstant, type Tone } from '@pets/domain-setup';
import type { ReactNode } from 'react';

interface NoticeProps {
  readonly tone: 'good' | 'warning' | 'critical' | 'neutral';
  readonly title?: ReactNode;
  /** `alert` is read out at once. */
  readonly role?: 'alert' | 'status' | 'group';
  /** For controls that the notice describes. */
  readonly id?: string;
  /** The code of an issue. */
  readonly issue?: string;
  readonly children?: ReactNode;
}

/** The id of the notice that says why the page can only be read. */
export const READ_ONLY_NOTICE = 'read-only';

/** A message across the page. */
export function Notice({ tone, title, role, id, issue, children }: NoticeProps) {
  return (
    <div id={id} className="notice" data-tone={tone} role={role} data-issue={issue}>
      {title !== undefined && <p className="notice-title">{title}</p>}
      {typeof children === 'string' ? <p>{children}</p> : children}
    </div>
  );
}

/** A status in a list or beside a title. */
export function StatusPill({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return (
    <span className="status" data-tone={tone}>
      {children}
    </span>
  );
}

interface EmptyStateProps {
  readonly title: string;
  readonly text?: string;
  /** How to get on: a button or a link. */
  readonly children?: ReactNode;
}

/** A page or list without content. */
export function EmptyState({ title, text, children }: EmptyStateProps) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {text !== undefined && <p>{text}</p>}
      {children}
    </div>
  );
}

const suspensionTexts = {
  title: {
    organization: 'Your organization is suspended',
    project: 'This project is suspended',
    domain: 'This domain is suspended',
  } satisfies Record<SuspensionScope, string>,
  planTitle: 'Custom domains are suspended',
  text: {
    operator: (reason, since) =>
      `Since ${since}: ${reason}. Visitors receive HTTP 410, and your data is read-only. Contact the platform operator.`,
    plan: (reason, since) =>
      `Since ${since}: ${reason}. Visitors of the custom domains receive HTTP 410. Upgrade your plan.`,
    blocked_name: (reason, since) =>
      `Since ${since}: ${reason}. Visitors receive HTTP 410. Contact the platform operator.`,
  } satisfies Record<SuspensionCause, (reason: string, since: string) => string>,
};

/** One notice for each suspension. Visitors receive HTTP 410. */
export function Suspensions({ suspensions }: { readonly suspensions: Project['suspensions'] }) {
  return suspensions.map(({ scope, cause, reason, since }) => (
    <Notice
      key={`${scope} ${cause}`}
      tone="critical"
      title={cause === 'plan' ? suspensionTexts.planTitle : suspensionTexts.title[scope]}
    >
      {suspensionTexts.text[cause](reason, formatInstant(since))}
    </Notice>
  ));
}
