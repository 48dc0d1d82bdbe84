import type { ReactNode } from 'react';

/** What a colour says. Words always say it too. */
export type Tone = 'good' | 'progress' | 'waiting' | 'warning' | 'critical' | 'neutral';

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
